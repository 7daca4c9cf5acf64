// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/demand_class.h"

#include <algorithm>
#include <array>

#include "sched/hop.h"
#include "sched/packing/rate_bits.h"

// Greedy hops meet the same luck for demands of about the same size: for small ones any node will
// do, for large ones few will. Size is relative, so that it means the same in a cluster of other
// machines. One class for each size keeps the tallies few, and each of them fresh.
namespace dunlin::sched {
namespace {

double part(std::uint32_t demand, std::uint32_t typical) {
  return typical == 0 ? 0.0 : static_cast<double>(demand) / static_cast<double>(typical);
}

struct Mean {
  std::uint64_t sum = 0;
  std::uint64_t count = 0;

  void add(std::uint32_t amount) {
    sum += amount;
    ++count;
  }
  /// 0 of nothing.
  std::uint32_t value() const {
    return static_cast<std::uint32_t>(sum / std::max<std::uint64_t>(count, 1));
  }
};

}  // namespace

DemandClass classify(const Resources& demand, bool constrained, const Resources& typical) {
  if (constrained || !demand.custom.empty()) return DemandClass::special;
  double share = std::max(part(demand.cpu, typical.cpu), part(demand.memory, typical.memory));
  for (const Rate& rate : kRates) {
    share = std::max(share, part(demand.*rate.amount, typical.*rate.amount));
  }
  if (share <= 0.25) return DemandClass::small;
  return share <= 0.5 ? DemandClass::medium : DemandClass::large;
}

Resources typical_node(std::span<const overlay::Neighbour> nodes) {
  Mean cpu;
  Mean memory;
  std::array<Mean, kRates.size()> rates;
  for (const overlay::Neighbour& node : nodes) {
    if (is_sick(node.peer)) continue;
    cpu.add(node.peer.cpu_total);
    memory.add(node.peer.memory_total);
    if (node.peer.rates_total == 0) continue;
    const Resources total = told_total(node.peer);
    for (std::size_t i = 0; i < kRates.size(); ++i) {
      if (total.*kRates[i].amount > 0) rates[i].add(total.*kRates[i].amount);
    }
  }
  Resources typical = {.cpu = cpu.value(), .memory = memory.value(), .custom = {}};
  for (std::size_t i = 0; i < kRates.size(); ++i) typical.*kRates[i].amount = rates[i].value();
  return typical;
}

}  // namespace dunlin::sched
