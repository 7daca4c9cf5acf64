// SPDX-License-Identifier: MIT
#pragma once

#include "sched/message.h"

namespace dunlin::sched {

class Worker;

/// The states of a node's slots, one for each CPU: busy with tasks; occupied, which is held for
/// tasks that do not run yet, be it for an answer to GetTask or until others have left; down, as
/// all other slots of a node that takes no task; or available. `worker` is its worker, nullptr
/// before its first task; `total` what it offers. Source: Lin 2014, section 3.2 (one worker of the
/// thesis is one slot here).
SlotCounts slot_counts(const Worker* worker, const Resources& total);

/// Those that could take a task now.
inline std::uint32_t available(const SlotCounts& slots) {
  return slots.all - slots.occupied - slots.busy - slots.down;
}

}  // namespace dunlin::sched
