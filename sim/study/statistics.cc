// SPDX-License-Identifier: MIT
#include "sim/study/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "config/percentile.h"
#include "overlay/ensure.h"

// One run of a simulation is one draw of chance, so studies repeat it with other seeds and report a
// mean with a 95 % interval. The replications are few, so the interval is Student's, not the normal
// one; they are independent, so nothing more is needed.
namespace dunlin::sim {
namespace {

constexpr double kStudent95[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
    2.2622, 2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.0930, 2.0860,
    2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
constexpr double kNormal95 = 1.959964;

}  // namespace

double student_95(std::size_t freedom) {
  ensure(freedom > 0, "a deviation from a mean of one");
  if (freedom <= std::size(kStudent95)) return kStudent95[freedom - 1];
  // The first two terms of the expansion around the normal distribution are exact to 0.0002 from
  // here.
  const double z = kNormal95;
  const auto n = static_cast<double>(freedom);
  return z + (z * z * z + z) / (4 * n) +
      (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

Estimate estimate_of(std::span<const double> values) {
  Estimate estimate{.count = values.size(), .runs = values.size()};
  if (values.empty()) return estimate;
  const auto count = static_cast<double>(values.size());
  estimate.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() == 1) return estimate;
  double squares = 0;
  for (const double value : values) squares += (value - estimate.mean) * (value - estimate.mean);
  estimate.half_width = student_95(values.size() - 1) * std::sqrt(squares / (count - 1) / count);
  return estimate;
}

Estimate estimate_of(std::span<const Reading> readings) {
  std::vector<double> values;
  std::size_t empty = 0, censored = 0;
  for (const Reading& each : readings) {
    if (each.is_known()) values.push_back(each.value());
    empty += each.is_empty() ? 1u : 0u;
    censored += each.is_censored() ? 1u : 0u;
  }
  Estimate estimate = censored > 0 ? Estimate{} : estimate_of(values);
  estimate.runs = values.size() + empty + censored;
  estimate.censored = censored;
  if (censored > 0 && !values.empty()) {
    std::ranges::sort(values);
    estimate.median = config::value_at_place(
        config::place_of_percentile(50, values.size()), [&](std::uint64_t i) { return values[i]; });
  }
  return estimate;
}

// The ratio of two means is not the mean of the ratios: one run with a small divisor outweighs all
// others in that, and it can say "more" where both means say "less".
Estimate ratio_of_means(std::span<const std::pair<double, double>> pairs) {
  const auto count = static_cast<double>(pairs.size());
  double above = 0, below = 0;
  for (const auto& [value, other] : pairs) {
    above += value;
    below += other;
  }
  if (pairs.empty() || below == 0) return {};
  Estimate estimate{.mean = above / below, .count = pairs.size(), .runs = pairs.size()};
  if (pairs.size() == 1) return estimate;
  std::vector<double> without;
  for (const auto& [value, other] : pairs) {
    if (below - other == 0) return {};
    without.push_back((above - value) / (below - other));
  }
  const double mean = std::accumulate(without.begin(), without.end(), 0.0) / count;
  double squares = 0;
  for (const double each : without) squares += (each - mean) * (each - mean);
  // Values that leave one pair out lie close together, as they share all others: hence the factor.
  estimate.half_width = student_95(pairs.size() - 1) * std::sqrt(squares * (count - 1) / count);
  return estimate;
}

}  // namespace dunlin::sim
