// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/params.h"
#include "sched/worker/queue.h"
#include "sched/worker/slots.h"
#include "sched/worker/worker_incarnation.h"

namespace dunlin::sched {

/// Slots held for an answer to GetTask: late binding costs one round trip of them.
struct PendingRequest {
  std::uint32_t request = 0;
  QueuedReservation reservation;
  std::uint16_t room = 1;  ///< Tasks asked for; slots are held for each, ...
  bool preempts = false;   ///< ... unless others are stopped once they are bound: see Preemption.
  std::uint32_t slots_max = 0;  ///< A plan gives the job so many in all; 0: it is served by none.
  std::uint8_t tries = 1;
  Time again{};  ///< When to ask once more.
};

/// The questions of a worker that have no answer yet, and the slots held for each. One that gets no
/// answer is sent again, twice as late each time; then its slots are given up. Source: Ousterhout
/// 2013, section 3.4 (late binding).
class PendingRequests {
 public:
  /// All of them outlive this.
  PendingRequests(const WorkerParams& params,
      const WorkerIncarnation& incarnation,
      Slots& slots,
      const Queue& queue)
      : params_(params),
        incarnation_(incarnation),
        slots_(slots),
        queue_(queue) {}

  const std::vector<PendingRequest>& pending() const { return pending_; }
  std::size_t size() const { return pending_.size(); }
  const PendingRequest& operator[](std::size_t i) const { return pending_[i]; }

  /// Holds slots for `room` tasks and asks the frontend of `reservation` for so many, as long as
  /// its job holds fewer than `slots_max` slots; 0: whatever it holds.
  void ask(
      Turn& turn, QueuedReservation reservation, std::uint16_t room, std::uint32_t slots_max = 0);

  /// The same, without slots: room is made for the tasks that come.
  void ask_without_room(
      Turn& turn, QueuedReservation reservation, std::uint16_t room, std::uint32_t slots_max);

  // A question put together slot by slot: open() it, widen() it once for each task, send() it.

  /// Begins a question that holds nothing yet, as the last element; returns its index.
  std::size_t open(QueuedReservation reservation, std::uint32_t slots_max = 0);
  /// Holds a slot more for question `i`.
  void widen(Time now, std::size_t i);
  void send(Turn& turn, std::size_t i);

  /// The request that `tasks` answers; its slots are released. Empty if there is none, because it
  /// was answered or given up before.
  std::optional<PendingRequest> take(Time now, const Endpoint& from, const Tasks& tasks);
  /// `tasks` says to keep the slots of a request until it is answered: it is sent again after
  /// kGathering, and then as often as at first. Null if there is no such request.
  const PendingRequest* keep(Time now, const Endpoint& from, const Tasks& tasks);
  static constexpr Duration kGathering = std::chrono::seconds(1);
  /// Asks again, or gives up, wherever it is time for that.
  void resend_due(Turn& turn);
  /// When that is; kNever if nothing is pending.
  Time next() const;

  /// True if this very reservation is away, asking.
  bool holds_probe(const JobId& job, std::uint32_t probe) const;
  /// True if the group that `asked` belongs to has more tasks than are asked for in all.
  bool wants_more(const Reserve& asked) const;
  /// An answer said that so many tasks of a group are left: no request of it asks for more.
  void set_wanted(const JobId& job, std::uint16_t group, std::uint16_t left);
  /// The answer to question `i` is no reason for another question.
  void ask_no_more(std::size_t i) { pending_[i].reservation.reserve.tasks_max = 0; }
  /// The work of all tasks that are asked for, in nanoseconds × milli-CPU.
  double work() const;

 private:
  void send(Turn& turn, PendingRequest& request) const;
  std::vector<PendingRequest>::iterator asked_by(const Endpoint& from, const Tasks& tasks);
  void release(Time now, const PendingRequest& request);

  const WorkerParams& params_;
  const WorkerIncarnation& incarnation_;
  Slots& slots_;
  const Queue& queue_;
  std::uint32_t request_last_ = 0;
  std::vector<PendingRequest> pending_;
};

}  // namespace dunlin::sched
