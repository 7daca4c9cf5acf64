// SPDX-License-Identifier: MIT
#include "sched/sharing/apportion.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "overlay/ensure.h"
#include "sched/ledger/wide.h"

// Tickets are whole and exact shares seldom are. Each part is its exact share rounded down at
// first. Fewer tickets than there are parts are left over, and go one each to the parts which lost
// most by the rounding (largest remainders, Hamilton's method). So the parts always add up to the
// total: the ledger counts every ticket, and one that rounding made or lost would break its books.
// A product of two amounts takes more than 64 bits, hence Wide.
namespace dunlin::sched {

std::vector<Tickets> apportion(Tickets total, std::span<const Tickets> weights) {
  std::vector<Tickets> parts(weights.size(), 0);
  Wide sum = 0;
  for (const Tickets weight : weights) {
    ensure(weight >= 0 && total >= 0, "a negative share");
    sum += weight;
  }
  if (sum == 0) return parts;
  std::vector<Wide> remainders(weights.size());
  Tickets rest = total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const Wide exact = Wide{total} * weights[i];
    parts[i] = static_cast<Tickets>(exact / sum);
    remainders[i] = exact % sum;
    rest -= parts[i];
  }
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; rest > 0; ++i, --rest) ++parts[order[i]];
  return parts;
}

std::vector<Tickets> apportion(
    Tickets total, std::span<const Tickets> weights, std::span<const Tickets> caps) {
  ensure(weights.size() == caps.size(), "a cap for each weight");
  std::vector<Tickets> parts(weights.size(), 0);
  std::vector<Tickets> open(weights.begin(), weights.end());
  // A part that would exceed its cap gets the cap and is done; the others split what is left anew.
  // Each round but the last closes a part, so there are no more rounds than parts and one.
  for (bool capped = true; capped;) {
    capped = false;
    const auto split = apportion(total, open);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (open[i] == 0 || split[i] < caps[i]) continue;
      parts[i] = std::min(caps[i], split[i]);
      total -= parts[i];
      open[i] = 0;
      capped = true;
    }
    if (capped) continue;
    for (std::size_t i = 0; i < open.size(); ++i) parts[i] += split[i];
  }
  return parts;
}

Result<std::vector<Tickets>> weights_of(std::span<const double> shares) {
  // The weights add up to about this: nine digits of each share are kept.
  constexpr double kParts = 1e9;
  double sum = 0;
  for (const double share : shares) {
    if (!std::isfinite(share) || share < 0) {
      return failure(ErrorKind::usage,
          "a share is " + std::to_string(share) + ": give each class a number from 0 upwards");
    }
    sum += share;
  }
  if (!std::isfinite(sum) || sum <= 0) {
    return failure(ErrorKind::usage, "no class has a share: give one of them more than 0");
  }
  std::vector<Tickets> weights;
  for (const double share : shares) weights.push_back(std::llround(share / sum * kParts));
  return weights;
}

}  // namespace dunlin::sched
