// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/user_places.h"

#include <algorithm>
#include <limits>

#include "sched/worker/pending_requests.h"
#include "sched/worker/queue.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/slots.h"

// A task that demands next to nothing still takes one of a node's places, which are few. A user
// with thousands of such tasks that never end would have all places of all nodes, and no queue
// would ever give one to anybody else. So one user's small tasks leave some places alone. Where
// nothing of another user is at the node they may have most of these as well; a few stay free even
// then, or the first task of the next user would wait for as long as those tasks please.
//
// They are counted anew for each question, but only while there are enough tasks for it to matter:
// a count that is kept could go wrong, and then bar a user for ever.
namespace dunlin::sched {
namespace {

constexpr std::uint32_t kWholeCpu = 1000;
/// Of the places that are for others, this part stays free while no other is there.
constexpr std::uint32_t kKeptAlone = 4;

bool is_small(const Resources& demand) {
  return demand.cpu < kWholeCpu;
}

}  // namespace

std::uint32_t UserPlaces::kept() const {
  return params_.tasks_max - std::min(params_.tasks_max, params_.slots_per_user);
}

std::uint64_t UserPlaces::held_by(std::uint64_t user) const {
  std::uint64_t held = 0;
  for (const RunningTask& task : running_.running()) {
    if (task.user == user && is_small(task.demand)) ++held;
  }
  for (const PendingRequest& asking : requests_.pending()) {
    const Reserve& asks = asking.reservation.reserve;
    if (asks.user == user && is_small(asks.demand)) held += asking.room;
  }
  return held;
}

bool UserPlaces::others_beside(std::uint64_t user) const {
  const auto is_other = [&](std::uint64_t of) { return of != user; };
  return std::ranges::any_of(running_.running(), is_other, &RunningTask::user) ||
      std::ranges::any_of(requests_.pending(), is_other,
          [](const PendingRequest& asking) { return asking.reservation.reserve.user; }) ||
      std::ranges::any_of(queue_.waiting(), is_other,
          [](const QueuedReservation& waiting) { return waiting.reserve.user; });
}

std::uint32_t UserPlaces::left(const Reserve& reserve) const {
  constexpr auto kAll = std::numeric_limits<std::uint32_t>::max();
  // A node with more CPUs than `tasks_max` has a place for each of them.
  const std::uint32_t all = slots_.places() + slots_.tasks();
  const std::uint32_t kept = std::min(this->kept(), all);
  const std::uint32_t beside_others = all - kept;
  const bool is_bound = kept > 0 && reserve.user != 0 && is_small(reserve.demand);
  if (!is_bound || slots_.tasks() + kRoomMax < beside_others) return kAll;
  const std::uint64_t held = held_by(reserve.user);
  const auto up_to = [&](std::uint32_t share) {
    return share - static_cast<std::uint32_t>(std::min<std::uint64_t>(held, share));
  };
  const std::uint32_t alone = all - (kept + kKeptAlone - 1) / kKeptAlone;
  // Whether others are there is asked only where it matters: the queue may be long.
  const bool matters = up_to(beside_others) < kRoomMax;
  return up_to(matters && !others_beside(reserve.user) ? alone : beside_others);
}

}  // namespace dunlin::sched
