// SPDX-License-Identifier: MIT
#include "sched/frontend/success.h"

#include <algorithm>

namespace dunlin::sched {
namespace {

/// Older experience fades: the tally is halved when it weighs more than this many hops.
constexpr double kMemory = 64;

double part(std::uint32_t demand, std::uint32_t typical) {
  return typical == 0 ? 0.0 : static_cast<double>(demand) / static_cast<double>(typical);
}

}  // namespace

GreedySuccess::DemandClass GreedySuccess::classify(
    const Resources& demand, bool constrained, const Resources& typical) {
  if (constrained || !demand.custom.empty()) return DemandClass::special;
  const double share = std::max(part(demand.cpu, typical.cpu), part(demand.memory, typical.memory));
  if (share <= 0.25) return DemandClass::small;
  return share <= 0.5 ? DemandClass::medium : DemandClass::large;
}

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
