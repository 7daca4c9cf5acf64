// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "sched/turn.h"
#include "sched/worker/discipline/discipline.h"
#include "sched/worker/dispatch/planned_slots.h"
#include "sched/worker/dispatch/user_places.h"
#include "sched/worker/pending_requests.h"
#include "sched/worker/queue.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/slots.h"

namespace dunlin::sched {

class Borrower;
class Preemption;

/// The parts of a worker that a decision about slots needs. They outlive the object that uses them.
struct WorkerParts {
  Slots& slots;
  Queue& queue;
  PendingRequests& requests;
  const RunningTasks& running;
  const Discipline& discipline;
  MeanTaskTime& task_times;         ///< Of the reservations that come or walk by.
  PlannedSlots* planned = nullptr;  ///< What a plan gives to jobs here; null: no plan ever does.
  const Preemption* preemption = nullptr;  ///< Null: nothing is ever stopped for others.
  const Borrower* borrower = nullptr;      ///< Null: nothing is ever borrowed.
  const UserPlaces* users = nullptr;       ///< Null: one user may have all places.

  ServiceMoment moment(Time now) const {
    ServiceMoment at(now, task_times.value());
    if (planned == nullptr || planned->empty()) return at;
    planned->recount(running.running(), requests.pending());
    at.planned = planned;
    return at;
  }
  /// Says if one task of `reserve` could start now. It is barred if its user has enough places.
  Fit fit(const Reserve& reserve) const {
    const Fit fits = slots.fit(reserve);
    return fits == Fit::yes && places_of_user(reserve) == 0 ? Fit::barred : fits;
  }
  /// The tasks that its user may have here yet.
  std::uint32_t places_of_user(const Reserve& reserve) const {
    return users == nullptr ? kRoomMax : users->left(reserve);
  }
  /// The tasks of a reservation that is served that may start here at once, or be asked for.
  std::uint16_t room_for(const Reserve& reserve) const {
    const std::uint32_t wanted = std::min({planned_tasks(reserve).value_or(kRoomMax),
        tasks_wanted(reserve), places_of_user(reserve)});
    return static_cast<std::uint16_t>(slots.room_for(reserve, wanted));
  }
  /// The tasks of a reservation that is served that fit what the plan gives its job here. Empty: it
  /// is served by the discipline, and may have all that is free.
  std::optional<std::uint32_t> planned_tasks(const Reserve& reserve) const {
    if (planned == nullptr || planned->tasks_left(reserve) == 0) return std::nullopt;
    return planned->tasks_left(reserve);
  }
  /// The slots that its job may hold in all if it is served by a plan; 0: it is not.
  std::uint32_t slots_max(const Reserve& reserve) const {
    return planned == nullptr ? 0 : planned->total(reserve);
  }
};

/// Something to start next: an element of the queue, or a request that asks for one task more.
struct Next {
  bool asking = false;  ///< A request.
  std::size_t index = 0;
};

/// Decides which reservations get the slots that fall free, and where a newcomer would stand. One
/// implementation goes by the discipline alone, one by the tickets of classes first.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;

  /// Asks frontends for tasks until nothing more fits.
  virtual void dispatch(Turn& turn) = 0;
  /// The element of the queue that dispatch() would ask for first; empty if none.
  virtual std::optional<std::size_t> choose(Time now) const = 0;

  /// A task of that reservation, which choose() names, starts without being asked for.
  virtual void serve(Time now, const Reserve& reserve) = 0;

  /// Reservations of the queue that are served before element `i`.
  virtual std::uint32_t ahead_of(std::size_t i, Time now) const = 0;
  /// The work that is done before `newcomer`, in nanoseconds × milli-CPU: all that is asked for,
  /// and its part of what waits.
  virtual double work_ahead(const QueuedReservation& newcomer, Time now) const = 0;
  /// The element of a full queue that leaves for `newcomer`; empty if none does.
  virtual std::optional<std::size_t> eviction_candidate(
      const Reserve& newcomer, Time now) const = 0;
  /// True if the walk of `newcomer` ends here, though it cannot start yet.
  virtual bool ends_walk(const Reserve& newcomer) const = 0;
};

}  // namespace dunlin::sched
