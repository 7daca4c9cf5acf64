// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/demand_class.h"

#include <algorithm>

#include "sched/hop.h"

// Greedy hops meet the same luck for demands of about the same size: for small ones any node will
// do, for large ones few will. Size is relative, so that it means the same in a cluster of other
// machines. One class for each size keeps the tallies few, and each of them fresh.
namespace dunlin::sched {
namespace {

double part(std::uint32_t demand, std::uint32_t typical) {
  return typical == 0 ? 0.0 : static_cast<double>(demand) / static_cast<double>(typical);
}

}  // namespace

DemandClass classify(const Resources& demand, bool constrained, const Resources& typical) {
  if (constrained || !demand.custom.empty()) return DemandClass::special;
  const double share = std::max(part(demand.cpu, typical.cpu), part(demand.memory, typical.memory));
  if (share <= 0.25) return DemandClass::small;
  return share <= 0.5 ? DemandClass::medium : DemandClass::large;
}

Resources typical_node(std::span<const overlay::Neighbour> nodes) {
  std::uint64_t cpu = 0;
  std::uint64_t memory = 0;
  std::uint64_t count = 0;
  for (const overlay::Neighbour& node : nodes) {
    if (is_sick(node.peer)) continue;
    ++count;
    cpu += node.peer.cpu_total;
    memory += node.peer.memory_total;
  }
  count = std::max<std::uint64_t>(count, 1);
  return {.cpu = static_cast<std::uint32_t>(cpu / count),
      .memory = static_cast<std::uint32_t>(memory / count),
      .custom = {}};
}

}  // namespace dunlin::sched
