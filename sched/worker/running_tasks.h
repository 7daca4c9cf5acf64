// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/outbox.h"
#include "sched/worker/params.h"
#include "sched/worker/queued_reservation.h"
#include "sched/worker/slots.h"

namespace dunlin::sched {

/// What a task with its input elsewhere must borrow before it starts.
struct LoanWish {
  std::uint16_t group = 0;  ///< Of the task.
  Resources amounts;
  std::vector<Endpoint> sources;  ///< The nodes that have its input; at least one.
};

/// A task that runs here.
struct RunningTask {
  TaskId task;
  AttemptNumber attempt = 1;
  Endpoint frontend;
  Resources demand;
  Duration task_time{0};  ///< The time it is expected to run.
  Duration measured{0};   ///< What such tasks took lately, at speed 1; 0: not known.
  /// When it would have started if it had never stood still: what it runs is counted from then.
  Time started{};
  std::optional<Time> limit;  ///< When it is stopped, unless it stands still before.
  bool killed = false;        ///< It was told to end.
  bool urgent = false;        ///< It was, when it was bound: see Reserve.
  /// It has not started: it waits for others to leave it room. Null: it has.
  std::shared_ptr<const Launch> waits{};
  /// Likewise, it waits for a loan. Null: it needs none, or has it.
  std::shared_ptr<const LoanWish> borrows{};
  Resources holds{};            ///< What it has of its demand, as long as it waits, ...
  bool has_place = false;       ///< ... and if one of the node's places for tasks is kept for it.
  std::string preempted_for{};  ///< Why it yields its room, if it does; for people.
  Time went_on{};               ///< When it started, or last went on after it had stood still.
  std::optional<Time> suspended{};  ///< It stands still since then, ...
  Resources stands{};               ///< ... with that of its demand, which is all but its CPU, ...
  JobId suspended_by{};             ///< ... for this job. Number 0: unknown.
  ClassId class_id = 0;             ///< The class of its job, as its frontend said.
  TaskLog log;
  YieldTerms yield{};
  Resources relief{};      ///< What it leaves of its demand to others: see Tracker.
  bool by_master = false;  ///< A local master had tasks of another class stopped for it.
  std::uint64_t user = 0;  ///< See Reserve. 0 too if an earlier build started it.
};

/// The office in which tasks are handed out.
inline TaskLog log_of(const Tasks& tasks) {
  return {
      .log = tasks.log, .epoch = tasks.epoch, .standbys = tasks.standbys, .version = tasks.version};
}

inline Resources without_cpu(Resources resources) {
  resources.cpu = 0;
  return resources;
}

/// What a task has of its demand.
inline const Resources& held_by(const RunningTask& running) {
  if (running.waits) return running.holds;
  return running.suspended ? running.stands : running.demand;
}

/// The footprint of a task which has started.
inline Footprint footprint(const RunningTask& running) {
  return {running.suspended ? running.stands : running.demand, running.task_time, running.class_id};
}

/// The time that it has run, less what it stood still.
inline Duration ran_by(const RunningTask& running, Time now) {
  return running.suspended.value_or(now) - running.started;
}

/// The time that a task seems to need yet. One that has run longer than expected is taken to need
/// as much again.
constexpr Duration time_left(Duration task_time, Duration elapsed) {
  return elapsed < task_time ? task_time - elapsed : elapsed;
}

/// Has the executor end a task, which has started, unless that was said before.
void stop_task(Turn& turn, RunningTask& running, Outcome outcome);

/// Its user has set the priority of a job: its tasks yield by that from now on. True if that is
/// news: what waits may stop them, or others.
bool set_priority(std::vector<RunningTask>& all, const JobId& job, std::int16_t priority);

/// The tasks of a worker from start to acknowledged report. An attempt that the worker holds,
/// running or reported, is never started again: results are recorded exactly once. What their
/// frontends hear of them is for FrontendTies.
class RunningTasks {
 public:
  /// All of them outlive this.
  /// `reclaims`: tasks may hold more CPU and rates than there are, as they do not use all of it.
  RunningTasks(const WorkerParams& params, Slots& slots, bool reclaims = false)
      : params_(params),
        slots_(slots),
        reclaims_(reclaims) {}

  const std::vector<RunningTask>& running() const { return running_; }
  /// For what a tracker changes of them, and for their frontends, which move.
  std::vector<RunningTask>& tracked() { return running_; }
  /// The reports of those that have ended.
  const Outbox& outbox() const { return outbox_; }
  Outbox& outbox() { return outbox_; }

  /// True if the attempt runs here, or its report is not acknowledged.
  bool holds(const TaskId& task, AttemptNumber attempt) const;
  /// Nullptr if the attempt does not run here.
  RunningTask* find(const TaskId& task, AttemptNumber attempt);
  /// Starts a task of the answer `tasks` to `asked`, unless it is held already. One that has no
  /// room yet starts when it has: requires that others end soon, and leave enough.
  void start(Turn& turn,
      const QueuedReservation& asked,
      const Tasks& tasks,
      const Assignment& assignment,
      bool by_master = false);
  /// Stops task `i`, which has started, in favour of the job `by`, or at its user's word if that
  /// has number 0; `why` is for people. One that is to be suspended for others is that instead.
  void preempt(Turn& turn, std::size_t i, const JobId& by, const std::string& why);
  /// Task `i`, which stands still, goes on. Requires that its CPU is free.
  void resume(Turn& turn, std::size_t i);
  /// A task that waits for a loan has it of `lender`, or needs none if that is 0, and starts when
  /// it has room; or it goes back, if that is empty. Returns its group if it goes back.
  std::optional<std::uint16_t> settle_loan(
      Turn& turn, const TaskId& task, AttemptNumber attempt, std::optional<PeerId> lender);
  /// Gives back the tasks that wait for room: none can start here.
  void give_back_waiting(Turn& turn);
  /// Takes back what the executor kept of earlier incarnations: holds the slots of tasks that run,
  /// and keeps the reports of those that have ended. A task that finds no room, because the node
  /// offers less than it did, is stopped and given back.
  void take_back(Turn& turn, std::span<const KeptTask> all);
  /// Tells `to` that element `first` of its answer and all behind it do not run here. Those that
  /// are held already are left out: they came twice.
  void refuse(Turn& turn, const Endpoint& to, const Tasks& tasks, std::size_t first) const;
  /// An attempt ended: releases its slots and keeps its report until it is acknowledged. Returns
  /// what ran; empty if it was unknown, and then the executor need not keep it.
  std::optional<RunningTask> end(Turn& turn, const Exit& exit);

  /// Stops what `from` asks for, as preempted if it is to run again. Attempts that are not here are
  /// refused, so that their frontend sees them dead.
  void kill(Turn& turn, const Endpoint& from, const Kill& kill);
  /// Stops tasks that have reached their time limit, or have stood still for too long.
  void enforce_limits(Turn& turn);
  /// When the next of them does; kNever if there is none.
  Time next_limit() const;
  /// Their frontend has no use for its tasks any more: stops those that run, and drops those that
  /// wait for room.
  void orphan(Turn& turn, PeerId frontend);

 private:
  /// Those that wait for room take of it what is free, and start if it is enough.
  void start_waiting(Turn& turn);
  void suspend(Turn& turn, RunningTask& running, const JobId& by);
  /// One that waits for room does not start here.
  void drop_waiting(Turn& turn, RunningTask& running);

  const WorkerParams& params_;
  Slots& slots_;
  bool reclaims_ = false;
  std::vector<RunningTask> running_;
  Outbox outbox_;
};

}  // namespace dunlin::sched
