// SPDX-License-Identifier: MIT
#include "sched/plan/policy/priority.h"

#include <cmath>

// One job runs as fast as the cluster lets it, and all others keep a foot in the door: the reserve
// pays for one slot each, as far as it goes.
namespace dunlin::sched {

void PriorityPlan::divide(Division& division) const {
  const auto order = division.by_priority();
  if (order.empty()) return;
  const std::uint32_t size = division.pool().size();
  const auto kept = static_cast<std::uint32_t>(std::ceil(reserve_ * size));
  division.give(order.front(), size - std::min(kept, size));
  for (std::size_t i = 1; i < order.size(); ++i) division.give(order[i], 1);
}

}  // namespace dunlin::sched
