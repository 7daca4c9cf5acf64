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
#include "sched/worker/frontend_leases.h"
#include "sched/worker/log_homes.h"
#include "sched/worker/outbox.h"
#include "sched/worker/params.h"
#include "sched/worker/queue.h"
#include "sched/worker/slots.h"
#include "sched/worker/worker_incarnation.h"

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

/// The tasks of a worker from start to acknowledged report, and the leases of their frontends. An
/// attempt that the worker holds, running or reported, is never started again: results are
/// recorded exactly once.
class RunningTasks {
 public:
  /// All of them outlive this.
  /// `reclaims`: tasks may hold more CPU and rates than there are, as they do not use all of it.
  RunningTasks(const WorkerParams& params,
      const WorkerIncarnation& incarnation,
      Slots& slots,
      bool reclaims = false)
      : params_(params),
        incarnation_(incarnation),
        slots_(slots),
        reclaims_(reclaims) {}

  const std::vector<RunningTask>& running() const { return running_; }
  /// For what a tracker changes of them.
  std::vector<RunningTask>& tracked() { return running_; }
  const Outbox& outbox() const { return outbox_; }
  const FrontendLeases& leases() const { return leases_; }

  /// True if the attempt runs here, or its report is not acknowledged.
  bool holds(const TaskId& task, AttemptNumber attempt) const;
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

  /// Tells frontends which of their tasks still run, and that the worker may be silent for `away`
  /// longer than their leases last.
  void renew(Turn& turn, const Load& load, Duration away = Duration{0}) const;
  /// A frontend has not heard of these tasks: tells it which of them run, sends reports of those
  /// that have ended at once, and gives back what is not here.
  void answer(Turn& turn, const Endpoint& from, const AskAfter& asked, const Load& load);
  /// Sends the reports that are due, and with them the speed of the node, in thousandths.
  void send_reports(Turn& turn, const Load& load, std::uint32_t speed = 0);
  void acknowledge(Turn& turn, const Endpoint& from, const DoneAck& ack);

  /// Renews the lease of `frontend`. Returns true if it was silent for long: then the reports for
  /// it are due now.
  bool heard(Time now, PeerId frontend);
  /// That is the home of a log from now on, and these are its standbys. What was for an earlier one
  /// goes to it, reports at once: true if there is any.
  bool follow(Time now, const LogHomes::Home& home);
  /// A standby of a log said that it knows of no other home. So tasks of a silent one are no
  /// orphans yet.
  void reassure(Time now, std::uint64_t log);
  /// Questions for the homes of logs: one for each log that has something here, and the home of
  /// which was not heard for long.
  std::vector<FindHome> lost_homes(Time now) const;
  /// Gossip tells of a node. If a frontend with something here has begun anew, what is for it goes
  /// to its new address from now on.
  void hear(const overlay::Descriptor& node);
  /// Drops the reservations in `queue` of frontends that are silent, and stops their tasks once
  /// they are orphans. Forgets frontends with nothing here.
  void reap(Turn& turn, Queue& queue);

 private:
  RunningTask* find(const TaskId& task, AttemptNumber attempt);
  /// Those that wait for room take of it what is free, and start if it is enough.
  void start_waiting(Turn& turn);
  void suspend(Turn& turn, RunningTask& running, const JobId& by);
  /// One that waits for room does not start here.
  void drop_waiting(Turn& turn, RunningTask& running);

  const WorkerParams& params_;
  const WorkerIncarnation& incarnation_;
  Slots& slots_;
  bool reclaims_ = false;
  std::vector<RunningTask> running_;
  Outbox outbox_;
  FrontendLeases leases_;
};

}  // namespace dunlin::sched
