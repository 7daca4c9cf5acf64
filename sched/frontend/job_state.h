// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sched/frontend/history/job_history.h"
#include "sched/frontend/inputs/input_index.h"
#include "sched/frontend/stages/stages.h"
#include "sched/frontend/tasks/given_tasks.h"
#include "sched/frontend/tasks/setbacks.h"
#include "sched/frontend/tasks/task_attempts.h"
#include "sched/frontend/tasks/task_record.h"
#include "sched/frontend/tasks/task_table.h"
#include "sched/frontend/tasks/waiting_tasks.h"
#include "sched/handed_task.h"
#include "sched/job.h"
#include "sched/resources.h"
#include "sched/task.h"
#include "sched/task_time.h"

namespace dunlin::sched {

/// A task bound to a worker.
struct Binding {
  AttemptNumber attempt = 1;
  Endpoint worker;
  std::uint32_t incarnation = 0;
  Time bound{};      ///< The time of its handing over, or of its adoption.
  Time confirmed{};  ///< The worker last said then that it holds it ...
  Duration away{0};  ///< ... and that it may be silent for so much longer than a lease.
  /// A local master is to start it, at this node or another one: nothing else of it is known.
  bool launching = false;
  bool heard = true;            ///< Not by the word of others alone that it has started.
  bool requeued = false;        ///< Its user wants it to end and to run again.
  bool suspended = false;       ///< It stands still, as its worker last said.
  bool memory_guessed = false;  ///< Its memory is an estimate, or was before a restart.
};

/// What becomes of a job beside its tasks. Empty: nothing.
struct JobChange {
  std::optional<bool> held;     ///< It is put on hold, or released, at its user's word, ...
  NewTerms terms{};             ///< ... as these are set.
  std::uint32_t after_met = 0;  ///< Jobs that it waits for have ended: see JobProgress.
  std::uint32_t after_missed = 0;
  std::optional<EndCommand> end_command{};  ///< The driver runs it, or has run it.
  friend bool operator==(const JobChange&, const JobChange&) = default;
};

/// A job and where each of its tasks stands. Each verb makes one step that the table of task.h
/// allows, keeps all counts, and returns what its caller must store, so that a later incarnation of
/// the frontend restores the same. Memory: see TaskTable, and a little more for tasks that are
/// bound.
class JobState {
 public:
  using Task = TaskEntry;
  struct Group {
    std::uint32_t first = 0;      ///< Index of its first task.
    WaitingTasks queue;           ///< The order in which its tasks are handed out.
    std::uint32_t waiting = 0;    ///< Tasks that may be handed out.
    InputIndex inputs{};          ///< Where their inputs are.
    std::uint32_t resting = 0;    ///< Tasks that wait, too, but rest after a setback.
    std::uint32_t bound = 0;      ///< Tasks that are bound, ...
    Time began{};                 ///< ... the first of them since then.
    std::uint32_t succeeded = 0;  ///< Tasks that tell how long the others will take ...
    double ran = 0;               ///< ... and the ns they ran, together: more than fit an integer.
    double lately = 0;      ///< Of those the mean, in ns at speed 1: the last ones count most.
    double besides = 0;     ///< Likewise what a slot spent on one besides its run, in ns.
    AmountSet guessed = 0;  ///< What of its demand is an estimate now.
    bool memory_too_little = false;  ///< That killed one of them: there is none any more.
    /// Reservations up to that number speak of less memory than its tasks are taken to need now.
    std::uint32_t outdated = 0;

    /// One of its tasks that wait rests from now on, or does not rest any more.
    void rest(bool on) {
      on ? --waiting : ++waiting;
      on ? ++resting : --resting;
    }
    /// One of its tasks succeeded, and took so long at a node of that speed, in thousandths.
    void learn(Duration wall, std::uint32_t speed = kSpeedUsual) {
      ++succeeded;
      const auto took = static_cast<double>(sane_task_time(wall).count());
      ran += took;
      const double weight = std::max(1.0 / succeeded, kLatelyWeight);
      lately += weight * (took * speed / kSpeedUsual - lately);
    }
    /// So long passed from handing one out to hearing of its end, in which it ran for `wall`: call
    /// it after learn().
    void learn_besides(Duration passed, Duration wall) {
      const Duration spent = std::clamp(passed - wall, Duration{0}, kBesidesMax);
      const double weight = std::max(1.0 / succeeded, kLatelyWeight);
      besides += weight * (static_cast<double>(spent.count()) - besides);
    }
    static constexpr double kLatelyWeight = 1.0 / 8;
    /// What is longer is no cost of a slot: it stood still, or waited for another one to leave.
    static constexpr Duration kBesidesMax = std::chrono::seconds(1);
  };
  struct Counts {
    std::array<std::uint32_t, kTaskStates> of{};
    std::uint32_t operator[](TaskState state) const { return of[static_cast<std::size_t>(state)]; }
    /// True if every task has its result.
    bool all_final() const {
      return (*this)[TaskState::waiting] + (*this)[TaskState::launched] +
          (*this)[TaskState::cancelling] ==
          0;
    }
  };
  /// True if a node that is none of these could take a task.
  using Others = std::function<bool(std::span<const PeerId>)>;
  /// An attempt ended, and this counts.
  struct Ending {
    ReportRecord record;
    /// Another attempt, made after that one was given up: its worker must stop it.
    std::optional<std::pair<Endpoint, Attempt>> replaced;
  };

  /// `accepted`: when it was submitted, to this incarnation of the frontend or an earlier one.
  /// `base`: what numbers of attempts begin with here, see AttemptNumber.
  JobState(Job job, Time accepted, AttemptNumber base = 0);

  const Job& job() const { return job_; }
  const JobId& id() const { return job_.id; }
  const JobProgress& progress() const { return progress_; }
  /// The time of its submit; before time zero if that was before this frontend's clock began.
  Time accepted() const { return accepted_; }
  std::optional<Time> finished() const { return finished_; }
  /// When its first task was handed out, as far as is known; empty if none was.
  std::optional<Time> begun() const { return begun_; }
  /// True if nothing is known of its tasks any more but how many ended how.
  bool pruned() const { return progress_.ended && progress_.ended->pruned; }
  /// What it takes as history. Requires that it has finished.
  const HistorySize& history_size() const { return history_size_; }
  const Counts& counts() const { return counts_; }
  std::uint32_t task_count() const { return tasks_.size(); }
  const Task& task(std::uint32_t index) const { return tasks_[index]; }
  /// Requires index < task_count().
  std::uint16_t group_of(std::uint32_t index) const;
  const TaskGroup& spec_of(std::uint16_t group) const { return job_.groups[group]; }
  const std::vector<Group>& groups() const { return groups_; }
  /// Tasks bound now, ascending by index.
  const std::map<std::uint32_t, Binding>& bindings() const { return bindings_; }
  /// The tasks that nodes failed.
  const Setbacks& setbacks() const { return setbacks_; }
  /// Which groups wait for others of the job.
  const Stages& stages() const { return stages_; }
  /// What was decided for those since the last call.
  std::vector<StageNews> take_stage_news() { return stages_.take_news(); }
  /// True until end_wait() finds that its user's time to begin has come: until then it hands out no
  /// task.
  bool waits_to_begin() const { return waits_to_begin_; }
  /// When that is; before its submit if its user named no time.
  Time begins_at() const { return job_.begin ? accepted_ + *job_.begin : Time::min(); }
  /// True if that time has come since the last call: its tasks may be handed out.
  bool end_wait(Time now) {
    return waits_to_begin_ && now >= begins_at() && std::exchange(waits_to_begin_, false);
  }
  /// True if none of its tasks has a second attempt where the first may have begun: see Rerun.
  bool runs_once() const { return job_.rerun == Rerun::never; }
  /// Those that an earlier life handed out then. As long as there are any no task is.
  const GivenTasks& given() const { return given_; }
  /// No worker told of such a task, so it ends.
  ReportRecord lose_given(const Attempt& given);
  /// No task may be handed out before this: a restarted frontend listens first.
  Time held_until() const { return held_until_; }
  /// Tasks of a group that may be handed out now: of those that wait none while the job is held or
  /// waits for others or the group does, and no more than may be bound at once.
  std::uint32_t offered(std::uint16_t group) const;

  /// Tasks may be handed out from now on.
  void end_hold(Time now) { held_until_ = std::min(held_until_, now); }

  /// Takes over what an earlier incarnation of the frontend stored, and hands out no task before
  /// `held_until`. Requires that nothing was done yet. Returns the progress to store; empty if the
  /// job had finished.
  std::optional<JobProgress> restore(
      const JobProgress& progress, const std::vector<StoredTask>& tasks, Time now, Time held_until);

  /// Binds the next waiting task of a group to a worker; empty if none may be handed out. A task
  /// that avoids the worker is passed over, unless `others` says that no other node could take it;
  /// without `others`, none could. Tasks with their input at the worker go first; with `here`, no
  /// others do. There is nothing to store: see TaskAttempts.
  std::optional<Attempt> bind(std::uint16_t group,
      const Endpoint& worker,
      std::uint32_t incarnation,
      Time now,
      const Others& others = {},
      bool here = false);
  /// Binds the next waiting task of a group as bind() does, but to be started by a local master,
  /// which may choose another node.
  std::optional<Attempt> launch(
      std::uint16_t group, PeerId node, Time now, const Others& others = {});
  /// Its user wants the attempt to end, and the task to run again. Returns the binding, of which
  /// the wish is to be stored; nullptr, and nothing is done, if the task does not run.
  const Binding* requeue(std::uint32_t index);
  /// Attempts of the task that were preempted, since its user last had it run again.
  std::uint16_t preemptions(std::uint32_t index) const;
  /// Those of which there are any, by index.
  const std::map<std::uint32_t, std::uint16_t>& preempted() const { return preemptions_; }
  /// True if that attempt is launched, and no worker is known to have it.
  bool is_launching(const Attempt& attempt) const;
  /// A launched attempt did not start, and never will by that launch. Unless it was to be cancelled
  /// its task waits, and the same attempt may be made again: empty, there is nothing to store.
  /// Requires is_launching().
  std::optional<TaskRecord> decline(const Attempt& attempt, Time now);
  /// Tasks whose rest is over may be handed out. True if there are any.
  bool end_rests(Time now);
  /// A worker says that it runs an attempt, and the lease begins anew. False if no such attempt is
  /// bound there, or if it is to stop.
  bool confirm(const Attempt& running, const Holder& holder, Time now);
  /// Binds a task to the attempt of it that turned up at a worker. False, and nothing is done, if
  /// the task does not wait or the attempt was replaced or has ended.
  bool adopt(const Attempt& running, const Holder& holder, Time now);
  /// The worker of a bound task is gone. Requires that the task is bound.
  TaskRecord lose(std::uint32_t index, Time now);
  /// A worker gives an attempt back that it never started; empty if it is not bound there.
  /// `unlent`: it would have borrowed for it.
  std::optional<TaskRecord> refuse(
      const Attempt& refused, PeerId worker, Time now, bool unlent = false);
  /// A worker reports the end of an attempt; empty if that does not count any more. A success
  /// counts as long as the task has no result, whichever attempt it is of.
  /// `speed` is the worker's, in thousandths.
  std::optional<Ending> end(
      const Report& report, PeerId worker, Time now, std::uint32_t speed = kSpeedUsual);
  /// The task's user wants it no more. One that waits ends here, one that is bound when its worker
  /// says so: of that the wish is to be stored. Empty if no task ends here.
  std::optional<ReportRecord> cancel(std::uint32_t index);
  /// The same for all tasks. The job's progress alone is stored: it says it for all that wait.
  JobProgress cancel_all(CancelledBy by = CancelledBy::user);
  /// The same for the tasks of a group that waits in vain: see Stages::is_missed(). There is
  /// nothing to store, because restore() comes to the same. Returns how many that ends.
  std::uint32_t cancel_stage(std::uint16_t group);
  /// Tasks of a group that are bound from now on are taken to demand this, of which `guessed` is
  /// not what its user said. One that is killed for lack of such memory runs again, and spends no
  /// retry. There is nothing to store.
  void estimate(std::uint16_t group, const Resources& demand, AmountSet guessed);
  /// See Group::outdated.
  void outdate(std::uint16_t group, std::uint32_t probe) { groups_[group].outdated = probe; }
  /// Changes the job so. Returns the progress to store.
  JobProgress change(const JobChange& change);
  /// The attempts of a task that can be numbered are used up.
  bool is_worn_out(std::uint32_t index) const;
  /// These tasks run again; the others that are final stay so. If the job had finished it goes on,
  /// and needs the lines of its groups again, which `stored` has. Requires at least one task, that
  /// each of them is final and not worn out, and none named twice. Returns what to store besides
  /// progress().
  std::vector<TaskRecord> retry(std::span<const std::uint32_t> tasks, const Job* stored);

  /// Frees what a finished job needs no more, and notes how it ended: progress() is to be stored.
  /// Requires that all tasks are final.
  void finish(Time now);
  /// Forgets each task of a job that has finished; their records may go, and none of them can run
  /// again. Returns the progress to store.
  JobProgress prune();

 private:
  using Bindings = std::map<std::uint32_t, Binding>;
  using Test = std::function<bool(std::uint32_t)>;

  AttemptNumber next_attempt(std::uint32_t index) const {
    return tasks_[index].attempts.next(progress_.restarts, base_);
  }
  /// Takes out the next task of a group with its input at `node` that both are true of; empty if
  /// there is none.
  std::optional<std::uint32_t> pop_at(
      Group& group, PeerId node, const Test& waits, const Test& suits);
  /// The one place where a task changes state; refuses what the table does not allow.
  void move(std::uint32_t index, TaskState to);
  /// A bound attempt came to nothing: its task waits again, or is cancelled if that was asked for,
  /// or if the attempt may have begun and there can be no other one.
  TaskRecord give_back(Bindings::iterator binding, Time now, bool may_have_begun);
  /// Takes the place of what the job was submitted with.
  void apply(const NewTerms& terms);
  /// A task ran before: notes when the job began by it. Returns how long after the submit it ended;
  /// empty if that is not known. By wall clocks of two nodes, as good as they are.
  std::optional<Duration> note_run(const StoredTask& stored);
  /// How it ends if all tasks are final by then.
  EndFacts end_at(Time at) const;
  /// Its tasks are no more than numbers of its end.
  void forget_tasks();
  /// As a restored job has it: the tasks of all groups that wait in vain are cancelled.
  void end_missed_stages();

  Job job_;
  AttemptNumber base_ = 0;
  JobProgress progress_;
  TaskTable tasks_;
  std::vector<Group> groups_;
  Bindings bindings_;
  Setbacks setbacks_;
  GivenTasks given_;
  Stages stages_;
  /// The highest attempt that counts no more, of each task that its user had run again.
  std::map<std::uint32_t, AttemptNumber> retried_;
  /// The last attempt of each task that was to end and to run again.
  std::map<std::uint32_t, AttemptNumber> requeued_;
  std::map<std::uint32_t, std::uint16_t> preemptions_;  ///< Of tasks that have any.
  Counts counts_;
  Time accepted_;
  bool waits_to_begin_;
  Time held_until_{};
  std::optional<Time> begun_;
  std::optional<Time> finished_;
  HistorySize history_size_;
};

/// Its groups are numbered from 0 to this less one.
inline std::uint16_t group_count(const JobState& job) {
  return static_cast<std::uint16_t>(job.groups().size());
}

/// True if a master may launch tasks of the group now, or park them. Those that start together are
/// held one by one, and those with inputs in places are left to reservations: a master does not
/// know where they are. So are those that never run twice: each launch that a master refuses would
/// count as one that has begun.
inline bool is_launched(const JobState& job, std::uint16_t group) {
  const bool apart = job.spec_of(group).gang || job.groups()[group].inputs.any();
  return job.offered(group) > 0 && !apart && !job.runs_once();
}

/// Calls `act(i, after)` for each of Job::after_jobs that the job still waits for.
void for_each_awaited(const JobState& job, auto&& act) {
  const JobProgress& progress = job.progress();
  const std::uint32_t decided = progress.after_met | progress.after_missed;
  const std::vector<AfterJob>& after = job.job().after_jobs;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if ((decided >> i & 1) == 0) act(i, after[i]);
  }
}
/// True if it starts no task before other jobs have ended.
inline bool waits_for_jobs(const JobState& job) {
  bool waits = false;
  for_each_awaited(job, [&](std::size_t, const AfterJob&) { waits = true; });
  return waits;
}
/// True if none of its tasks may start now, whatever room there is.
inline bool is_held_back(const JobState& job) {
  return job.progress().held || job.waits_to_begin() || waits_for_jobs(job);
}

}  // namespace dunlin::sched
