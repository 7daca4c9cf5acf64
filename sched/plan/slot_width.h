// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "sched/message.h"

// A plan counts in slots of one CPU each. The thesis has one slot for each worker; a node here has
// one for each CPU, and a task that needs several takes several.
namespace dunlin::sched {

/// The CPU of one slot, in milli-CPU.
inline constexpr std::uint32_t kSlotCpu = 1000;

/// The slots that one task of this demand takes, at least one.
constexpr std::uint32_t slots_taken(std::uint32_t cpu) {
  return std::max<std::uint32_t>(1, cpu / kSlotCpu + (cpu % kSlotCpu == 0 ? 0 : 1));
}
inline std::uint32_t slots_taken(const Resources& demand) {
  return slots_taken(demand.cpu);
}

/// The slots of a node. One that has less than a CPU has one all the same, if it has any.
inline std::uint32_t slots_of_node(const Resources& total) {
  return total.cpu == 0 ? 0 : std::max<std::uint32_t>(1, total.cpu / kSlotCpu);
}

/// Those of a node that could take a task now.
inline std::uint32_t available(const SlotCounts& slots) {
  return slots.all - slots.occupied - slots.busy - slots.down;
}

}  // namespace dunlin::sched
