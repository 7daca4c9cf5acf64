// SPDX-License-Identifier: MIT
#include "sched/peer_slots.h"

#include <algorithm>
#include <cstdint>

#include "sched/plan/slot_width.h"
#include "sched/worker/worker.h"

// Tasks that need less than a CPU take a slot each, so there may be more of them than slots: then
// all slots are busy.
namespace dunlin::sched {

SlotCounts slot_counts(const Worker* worker, const Resources& total) {
  SlotCounts slots{.all = slots_of_node(total)};
  if (worker == nullptr) return slots;
  std::uint64_t busy = 0;
  std::uint64_t occupied = 0;
  for (const RunningTask& each : worker->running()) {
    if (!each.waits) {
      busy += slots_taken(each.demand);
    } else if (each.holds.cpu > 0) {
      occupied += slots_taken(each.holds);
    }
  }
  for (const PendingRequest& each : worker->asking()) {
    const std::uint64_t taken = slots_taken(each.reservation.reserve.demand);
    if (!each.preempts) occupied += taken * each.room;
  }
  slots.busy = static_cast<std::uint32_t>(std::min<std::uint64_t>(busy, slots.all));
  slots.occupied =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(occupied, slots.all - slots.busy));
  if (worker->slots().closed()) slots.down = slots.all - slots.busy - slots.occupied;
  return slots;
}

}  // namespace dunlin::sched
