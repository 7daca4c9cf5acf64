// SPDX-License-Identifier: MIT
#include "sched/packing/score.h"

#include <cmath>

// A dot product is large for a task that is large, and for one that takes most of what is most
// abundant: both leave less in fragments. The other rules are here to be compared with it. Where a
// resource is exhausted, a task that fits demands none of it, so a ratio of nothing to nothing
// counts as nothing.
namespace dunlin::sched::packing {
namespace {

double square(double value) {
  return value * value;
}

/// The sum of `term` over all dimensions.
template <typename Term>
double total(const Shares& demand, Term&& term) {
  double sum = 0;
  for (std::size_t i = 0; i < demand.size(); ++i) sum += term(i);
  return sum;
}

}  // namespace

double score(ScoreName name, const Shares& demand, const Shares& free, const Shares& weights) {
  const double* d = demand.begin();
  const double* a = free.begin();
  const double* w = weights.begin();
  const auto dot = [&](const double* x, const double* y) {
    return total(demand, [&](std::size_t i) { return w[i] * x[i] * y[i]; });
  };
  switch (name) {
    case ScoreName::dot:
      return dot(d, a);
    case ScoreName::cosine: {
      const double lengths = std::sqrt(dot(d, d) * dot(a, a));
      return lengths == 0 ? 0 : dot(d, a) / lengths;
    }
    case ScoreName::l2_difference:
      return -total(demand, [&](std::size_t i) { return w[i] * square(a[i] - d[i]); });
    case ScoreName::l2_ratio:
      return -total(
          demand, [&](std::size_t i) { return d[i] == 0 ? 0 : w[i] * square(d[i] / a[i]); });
    case ScoreName::sum:
      return total(demand, [&](std::size_t i) { return w[i] * d[i]; });
    case ScoreName::product: {
      double product = 1;
      for (std::size_t i = 0; i < demand.size(); ++i) {
        product *= w[i] == 1 ? d[i] : std::pow(d[i], w[i]);
      }
      return product;
    }
  }
  return 0;
}

double penalised(double score, double penalty) {
  return score > 0 ? score * (1 - penalty) : score * (1 + penalty);
}

Shares scarcity_weights(const Shares& backlog, double power) {
  const double busiest = largest_of(backlog);
  Shares weights;
  for (const double work : backlog) {
    weights.push_back(busiest == 0 ? 1 : std::pow(work / busiest, power));
  }
  return weights;
}

}  // namespace dunlin::sched::packing
