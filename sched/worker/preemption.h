// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/dispatch/planned_slots.h"
#include "sched/worker/dispatch/user_places.h"
#include "sched/worker/params.h"
#include "sched/worker/pending_requests.h"
#include "sched/worker/queue.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/share/class_balance.h"
#include "sched/worker/share/class_shares.h"
#include "sched/worker/slots.h"
#include "sched/worker/yield/victims.h"

namespace dunlin::sched {

/// Stops tasks so that others, which matter more, get their room: see `worker.preempt`. It also has
/// those go on that were suspended.
class Preemption {
 public:
  /// All of them outlive this.
  Preemption(const WorkerParams& params,
      const Slots& slots,
      Queue& queue,
      PendingRequests& requests,
      RunningTasks& running,
      PlannedSlots& planned,
      const UserPlaces* users = nullptr)
      : params_(params),
        slots_(slots),
        queue_(queue),
        requests_(requests),
        running_(running),
        planned_(planned),
        users_(users) {}

  /// Classes share the node so from now on. `shares` outlives this.
  void follow(const ClassShares& shares) { shares_ = &shares; }
  /// Global masters say which tasks yield by shares, by way of the local master of this node; or
  /// none does, and the shares of this node decide.
  void set_led(bool led) { led_ = led; }

  /// True if tasks of `reserve` may stop others, whichever run here.
  bool is_entitled(const Reserve& reserve) const;
  /// True if a task of `reserve` may start here once some that run are stopped.
  bool can_make_room(const Reserve& reserve, Time now) const;
  /// Tasks that stand still go on where there is room, before anything that waits in the queue; but
  /// what waits and may stop them is asked for first.
  void resume(Turn& turn);
  /// Asks frontends for tasks for which room can be made: those that wait here and may not start
  /// otherwise. Nothing is stopped before one is bound.
  void ask(Turn& turn);
  /// Starts the first `count` of `tasks`, which answer `asked`; those that were asked for without
  /// room once others have been stopped. Returns how many it can; the rest has no room.
  std::size_t start(Turn& turn, const PendingRequest& asked, const Tasks& tasks, std::size_t count);
  /// Starts the first of `tasks`, which a local master says, once tasks of the class `over` have
  /// been stopped, which its cell has beyond that class's share. False if none of them may be, or
  /// all of them are not enough.
  bool start_over(Turn& turn, const QueuedReservation& asked, const Tasks& tasks, ClassId over);
  /// What classes hold here, and what of it may yield by shares; none where shares stop nothing.
  std::vector<ClassUse> uses() const;
  /// When a task that runs may be stopped, and could not be before; kNever if no reservation waits
  /// for that.
  Time next(Time now) const;

 private:
  /// Counts what jobs hold of what the plan gives them, or classes of the node, if that matters.
  void recount() const;
  /// As is_entitled(), by the last count of what jobs hold.
  bool is_within_rule(const Reserve& reserve) const;
  /// True if the rule lets `by` have the room of `running`.
  bool outranks(const Reserve& by, const RunningTask& running) const;
  /// True if nothing protects it but what is said by outranks().
  bool may_yield(const RunningTask& running, Time now) const;
  /// What is free, or will be once tasks have ended that were told to, and is not promised.
  Room room_for(const Reserve& reserve) const;
  /// Those that `may` says, and nothing protects. `leaves` has what they leave, and outlives them.
  std::vector<Candidate> candidates(const std::function<bool(const RunningTask&)>& may,
      Time now,
      std::vector<Resources>& leaves) const;
  std::optional<std::vector<std::size_t>> victims(
      const Reserve& reserve, std::int64_t count, const Room& room, Time now) const;
  /// The tasks of `reserve` that the rule, and the share of its user, let stop others, whichever
  /// these are.
  std::uint32_t due_tasks(const Reserve& reserve) const;
  /// The tasks of `reserve` that may be asked for though there is no room.
  std::uint16_t tasks_to_ask(const Reserve& reserve, Time now) const;
  /// The slots that the job may hold in all, where plans decide which tasks are stopped; else 0.
  std::uint32_t slots_max_of(const Reserve& reserve) const;
  /// True if the plan gives its job slots enough for it to go on, or its class a share.
  bool is_due(const RunningTask& standing) const;
  /// Of those that may be stopped only as many as their job has beyond its slots, or their class
  /// beyond its share; those first that lose the least.
  void keep_what_is_due(std::vector<Candidate>& found) const;
  ClassId class_of(ClassId class_id) const;
  /// Asks for tasks that may start at once and may stop `standing`, which stands still.
  bool ask_before(Turn& turn, const RunningTask& standing);

  const WorkerParams& params_;
  const Slots& slots_;
  Queue& queue_;
  PendingRequests& requests_;
  RunningTasks& running_;
  PlannedSlots& planned_;
  const UserPlaces* users_;              ///< Null: one user may have all places.
  const ClassShares* shares_ = nullptr;  ///< Null: no class has tickets.
  bool led_ = false;
  mutable ClassBalance balance_;  ///< As of the last recount().
};

}  // namespace dunlin::sched
