// SPDX-License-Identifier: MIT
#include "sched/worker/dispatcher.h"

#include <algorithm>
#include <limits>

// A task that demands next to nothing still takes one of a node's places, which are few. A user
// with thousands of such tasks that never end would have all places of all nodes, and no queue
// would ever give one to anybody else. So one user's small tasks leave some places alone. They are
// counted anew for each question, but only while there are enough tasks for it to matter: a count
// that is kept could go wrong, and then bar a user for ever.
namespace dunlin::sched {
namespace {

constexpr std::uint32_t kWholeCpu = 1000;

}  // namespace

std::uint32_t WorkerParts::places_of_user(const Reserve& reserve) const {
  constexpr auto kAll = std::numeric_limits<std::uint32_t>::max();
  const bool bound = slots_per_user != 0 && reserve.user != 0 && reserve.demand.cpu < kWholeCpu;
  if (!bound || slots.tasks() + kRoomMax < slots_per_user) return kAll;
  std::uint64_t has = 0;
  for (const RunningTask& task : running.running()) {
    if (task.user == reserve.user && task.demand.cpu < kWholeCpu) ++has;
  }
  for (const PendingRequest& asking : requests.pending()) {
    const Reserve& asks = asking.reservation.reserve;
    if (asks.user == reserve.user && asks.demand.cpu < kWholeCpu) has += asking.room;
  }
  return slots_per_user - static_cast<std::uint32_t>(std::min<std::uint64_t>(has, slots_per_user));
}

}  // namespace dunlin::sched
