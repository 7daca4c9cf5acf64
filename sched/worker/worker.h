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

#include "sched/node_spec.h"
#include "sched/surroundings.h"
#include "sched/turn.h"
#include "sched/worker/availability.h"
#include "sched/worker/follow_up.h"
#include "sched/worker/frontends/frontend_ties.h"
#include "sched/worker/frontends/frontend_words.h"
#include "sched/worker/loans/loans.h"
#include "sched/worker/params.h"
#include "sched/worker/ports/master_starts.h"
#include "sched/worker/ports/worker_classes.h"
#include "sched/worker/ports/worker_plan.h"
#include "sched/worker/preemption.h"
#include "sched/worker/reservations.h"
#include "sched/worker/tracker/tracker.h"
#include "sched/worker/worker_timer.h"

namespace dunlin::sched {

/// Runs tasks of any frontend: a late-bound reservation queue, and what fits of it. It wires its
/// parts and wakes them; each part decides about its own subject. Never over-commits a resource.
/// Source: Ousterhout 2013, sections 3.4 and 4; design, section 5.
class Worker {
 public:
  Worker(const WorkerParams& params, const NodeSpec& self, const TrackerParams& tracker = {});

  void on_message(Turn& turn, const Surroundings& around, const Endpoint& from, const Reserve&);
  void on_message(Turn& turn, const Endpoint& from, const Tasks&);
  /// See FrontendWords.
  void on_message(Turn& turn, const Endpoint& from, const FrontendWord auto& word) {
    words_.on_message(turn, from, word);
  }
  /// See Loans.
  void on_message(Turn& turn, const Endpoint& from, const LoanWord auto& word) {
    loans_.on_message(turn, from, word);
  }
  void on_exits(Turn& turn, const Surroundings& around, std::span<const Exit> exits);
  /// The node and its tasks use this by now: see Tracker.
  void on_measured(Turn& turn, const Measured& measured);
  /// A judge of this node's health says why it is sick, or, by nothing, that it is well. A sick
  /// node does as a draining one, and gives back the tasks that it is handed: see Availability.
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

  // What concerns one of its users alone goes through a port for that user.
  /// What gossip and homes of logs say of its frontends.
  FrontendTies& frontends() { return frontends_; }
  /// What the local master of its cell says.
  MasterStarts& for_masters() { return starts_; }
  const MasterStarts& for_masters() const { return starts_; }
  /// What sharing sets, and asks.
  WorkerClasses& classes() { return classes_; }
  /// What the plan of its cell gives.
  WorkerPlan& plan() { return plan_; }

  void wake(Turn& turn);
  Time deadline() const { return timers_.earliest(); }

  Load load() const { return slots_.load(queue_.size()); }
  const Slots& slots() const { return slots_; }
  const Availability& availability() const { return availability_; }
  const std::vector<RunningTask>& running() const { return running_.running(); }
  const std::vector<PendingRequest>& asking() const { return requests_.pending(); }
  const Queue& queue() const { return queue_; }
  const Outbox& outbox() const { return running_.outbox(); }
  const PlannedSlots& planned() const { return planned_; }
  const Loans& loans() const { return loans_; }
  /// Null: classes make no difference.
  const ClassShares* shares() const { return classes_.shares(); }

 private:
  using Timer = WorkerTimer;

  /// The slots of a question are to be kept for tasks that start together with others. False if it
  /// was given up before, or the node is closed by now.
  bool keep_slots(Turn& turn, const Endpoint& from, const Tasks& tasks);

  WorkerParams params_;
  WorkerIncarnation incarnation_;
  Slots slots_;
  Queue queue_;
  std::unique_ptr<const Discipline> discipline_;
  PendingRequests requests_;
  WorkerTimers timers_;
  RunningTasks running_;
  FrontendTies frontends_;
  Loans loans_;
  MeanTaskTime task_times_;
  PlannedSlots planned_;
  UserPlaces users_;
  Preemption preemption_;
  Tracker tracker_;
  WorkerParts parts_;
  Reservations reservations_;
  WorkerClasses classes_;
  Availability availability_;
  FollowUp follow_up_;
  FrontendWords words_;
  MasterStarts starts_;
  WorkerPlan plan_;
};

}  // namespace dunlin::sched
