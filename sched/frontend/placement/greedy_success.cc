// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/greedy_success.h"

#include <algorithm>

// Information about free nodes is fresh today and stale tomorrow, and no node can tell which. Its
// use can be measured: the part of greedy hops that found room is the part of hops that should be
// greedy. Small demands and rare ones meet different luck, so each class has a tally of its own.
namespace dunlin::sched {
namespace {

/// Older experience fades: the tally is halved when it weighs more than this many hops.
constexpr double kMemory = 64;

}  // namespace

void GreedySuccess::learn(DemandClass demand, const Walk& walk) {
  Tally& tally = tallies_[static_cast<std::size_t>(demand)];
  tally.hops += walk.greedy_hops;
  tally.hits += walk.greedy_hits;
  if (tally.hops > kMemory) {
    tally.hops /= 2;
    tally.hits /= 2;
  }
}

double GreedySuccess::share(DemandClass demand, double floor, double cap) const {
  const Tally& tally = tallies_[static_cast<std::size_t>(demand)];
  return std::clamp(tally.hits / tally.hops, floor, std::max(floor, cap));
}

}  // namespace dunlin::sched
