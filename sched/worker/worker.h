// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/ledger/books_types.h"
#include "sched/ledger/roster.h"
#include "sched/node_spec.h"
#include "sched/plan/node_speed.h"
#include "sched/surroundings.h"
#include "sched/turn.h"
#include "sched/worker/flat_dispatcher.h"
#include "sched/worker/frontends/frontend_ties.h"
#include "sched/worker/health.h"
#include "sched/worker/loans/borrower.h"
#include "sched/worker/loans/lender.h"
#include "sched/worker/params.h"
#include "sched/worker/preemption.h"
#include "sched/worker/reservations.h"
#include "sched/worker/tracker/tracker.h"
#include "sched/worker/worker_timer.h"

namespace dunlin::sched {

struct ClassDesk;
class ClassShares;

/// Runs tasks of any frontend: a late-bound reservation queue, and what fits of it. It wires its
/// parts and sets their timers; each part decides about its own subject. Never over-commits a
/// resource. Source: Ousterhout 2013, sections 3.4 and 4; design, section 5.
class Worker {
 public:
  Worker(const WorkerParams& params, const NodeSpec& self, const TrackerParams& tracker = {});
  ~Worker();

  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Reserve&);
  void on_message(Turn& turn, const Endpoint& from, const Tasks&);
  void on_message(Turn& turn, const Endpoint& from, const DoneAck&);
  void on_message(Turn& turn, const Endpoint& from, const Remaining&);
  void on_message(Turn& turn, const Endpoint& from, const TellExtent&);
  void on_message(Turn& turn, const Endpoint& from, const Cancel&);
  void on_message(Turn& turn, const Endpoint& from, const Kill&);
  void on_message(Turn& turn, const Endpoint& from, const AskAfter&);
  void on_message(Turn& turn, const Endpoint& from, const RenewAck&);
  void on_message(Turn& turn, const Endpoint& from, const HomeIs&);
  void on_message(Turn& turn, const Endpoint& from, const Borrow&);
  void on_message(Turn& turn, const Endpoint& from, const Lent&);
  void on_message(Turn& turn, const Endpoint& from, const Repay&);
  /// Starts the one task of `tasks`, which a local master says, if it fits and a reservation of its
  /// group would be served at once; or else if tasks of the class `over` may be stopped for it.
  /// True if it runs by now, or has run, or waits for the room of those that were stopped.
  bool start(Turn& turn,
      const Reserve& group,
      const Tasks& tasks,
      std::optional<ClassId> over = std::nullopt);
  /// See Preemption::set_led(), and Preemption::uses().
  void set_led(bool led) { preemption_.set_led(led); }
  std::vector<ClassUse> class_uses() const { return preemption_.uses(); }
  /// Asks the frontend of a group for tasks, once, if a reservation of it would be served at once.
  /// False if it would not.
  bool ask(Turn& turn, const Reserve& group);
  void on_exits(Turn& turn, const Surroundings& around, std::span<const Exit> exits);
  /// The node and its tasks use this by now: see Tracker.
  void on_measured(Turn& turn, const Measured& measured);
  /// A judge of this node's health says why it is sick, or, by nothing, that it is well. A sick
  /// node does as a draining one, and gives back the tasks that it is handed.
  void on_verdict(Turn& turn, const Surroundings& around, HealthJudge judge, std::string_view why);
  /// A draining node sends its queue away and takes no task more; those that run go on.
  void drain(Turn& turn, const Surroundings& around, bool on);
  /// The node is a later incarnation now, and its tasks go on: their frontends hear so at once.
  void raise(Turn& turn, std::uint32_t incarnation);
  /// Goes on with what the executor kept since incarnation `since`. Requires that nothing was done
  /// yet.
  void take_back(Turn& turn, std::uint32_t since, std::span<const KeptTask> kept);
  /// The process ends soon and its tasks run on, for the next incarnation to take back. The worker
  /// takes no task more, and frontends hear how long it may be away; call it again to repeat that.
  void pause(Turn& turn, const Surroundings& around);

  /// The tickets of each class on this node from now on; none: classes do not matter. Those of a
  /// class not named count as the default class's.
  void set_tickets(Time now, std::span<const std::pair<ClassId, Tickets>> tickets);
  /// The slots that a plan gives to jobs here from now on, by rank; none: there is no plan.
  void set_allotments(Time now, std::span<const cell::Allotted> allotted);
  /// Plans are made: reports tell how fast the node is, by its tasks unless `set` says it, in
  /// thousandths. Or they are not, and reports tell nothing.
  void tell_speed(bool on, std::optional<std::uint32_t> set = std::nullopt) {
    tells_speed_ = on;
    set_speed_ = set;
  }
  /// In thousandths; 0 while it is not told.
  std::uint32_t speed() const {
    return tells_speed_ ? set_speed_.value_or(speed_.thousandths()) : 0;
  }
  /// See PlannedSlots::lacking(). None on a node that is closed.
  std::vector<cell::Allotted> lacking_reservations();

  /// The use of each class since the last call, of `tickets` in all, and what waits of it. By
  /// class, at most books::Classes::kClassesMax. See Workload::take.
  std::vector<books::Use> take_uses(Time now, Tickets tickets);

  void wake(Turn& turn);
  Time deadline() const { return timers_.earliest(); }

  Load load() const { return slots_.load(queue_.size()); }
  const Slots& slots() const { return slots_; }
  /// An operator drains the node, or it is about to stop for good.
  bool is_leaving() const { return slots_.draining() && away_ == Duration{0}; }
  const Health& health() const { return health_; }
  /// See `worker.slots_per_user`.
  const UserPlaces& users() const { return users_; }
  const std::vector<RunningTask>& running() const { return running_.running(); }
  const std::vector<PendingRequest>& asking() const { return requests_.pending(); }
  const Queue& queue() const { return queue_; }
  const Outbox& outbox() const { return running_.outbox(); }
  /// What gossip and homes of logs say of its frontends goes there.
  FrontendTies& frontends() { return frontends_; }
  const PlannedSlots& planned() const { return planned_; }
  /// What tasks here have borrowed elsewhere.
  const Borrower& borrower() const { return borrower_; }
  const Lender& lender() const { return lender_; }
  /// Null: classes make no difference.
  const ClassShares* shares() const;

 private:
  using Timer = WorkerTimer;

  void dispatch(Turn& turn);
  /// The slots of a question are to be kept for tasks that start together with others. False if it
  /// was given up before, or the node is closed by now.
  bool keep_slots(Turn& turn, const Endpoint& from, const Tasks& tasks);
  void hear_loan(Turn& turn, const LoanFate& fate);
  void wake_loans(Turn& turn);
  ClassDesk& ensure_desk(Time now);
  Dispatcher& without_classes() {
    if (packing_) return *packing_;
    return flat_;
  }
  void note_health(Turn& turn, const Surroundings& around, const std::string& before);
  void schedule(Time now);

  WorkerParams params_;
  WorkerIncarnation incarnation_;
  Duration away_{0};  ///< What leases are stretched by, while it pauses.
  Slots slots_;
  Health health_;
  Queue queue_;
  std::unique_ptr<const Discipline> discipline_;
  PendingRequests requests_;
  WorkerTimers timers_;
  RunningTasks running_;
  FrontendTies frontends_;
  Borrower borrower_;
  Lender lender_;
  MeanTaskTime task_times_;
  NodeSpeed speed_;
  bool tells_speed_ = false;
  std::optional<std::uint32_t> set_speed_;
  PlannedSlots planned_;
  UserPlaces users_;
  Preemption preemption_;
  Tracker tracker_;
  bool replanned_ = false;  ///< Tasks may yield to others that could not be stopped before.
  WorkerParts parts_;
  Reservations reservations_;
  FlatDispatcher flat_;
  std::unique_ptr<Dispatcher> packing_;  ///< In place of it, if the discipline packs.
  std::unique_ptr<ClassDesk> classes_;   ///< Once a cell asked for uses or gave tickets.
  Dispatcher* dispatcher_ = &flat_;      ///< The one of classes while they have tickets.
};

}  // namespace dunlin::sched
