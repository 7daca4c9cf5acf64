// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/adaptive.h"

#include <cmath>
#include <cstdint>

// The gradient finds rare capacity 10 to 500 times faster than chance while its information is
// fresh, and herds ruinously when it is stale. Which of the two holds changes with load and with
// the demand. So the share of greedy hops is the measured success of greedy hops, within a floor
// (success must be noticed again) and a cap (some chance breaks up herds).
namespace dunlin::sched {

std::optional<Batch> AdaptivePlacement::choose(const Need& need, const Known& known, Rng& rng) {
  const double share = success_.share(need.demand_class, params_.greedy_floor, params_.greedy_cap);
  const Walk walk{.rule = HopRule::mixed,
      .greedy_share = static_cast<std::uint8_t>(std::lround(share * 255.0)),
      .hops_left = params_.hops_max,
      .rank = params_.rank};
  if (auto batch = fill_up(params_, need, known, walk, rng)) return batch;
  return look_elsewhere(params_, need, known, walk);
}

}  // namespace dunlin::sched
