// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sched/frontend/job_view.h"
#include "sched/frontend/tasks/task_record.h"
#include "sched/handed_task.h"
#include "sched/job.h"
#include "sched/resources.h"
#include "sched/task.h"

namespace dunlin::sched {

/// What becomes of a job beside its tasks. Empty: nothing.
struct JobChange {
  std::optional<bool> held;     ///< It is put on hold, or released, at its user's word, ...
  NewTerms terms{};             ///< ... as these are set.
  std::uint32_t after_met = 0;  ///< Jobs that it waits for have ended: see JobProgress.
  std::uint32_t after_missed = 0;
  std::optional<EndCommand> end_command{};  ///< The driver runs it, or has run it.
  friend bool operator==(const JobChange&, const JobChange&) = default;
};

/// A job and where each of its tasks stands, to change; what may be asked of it is JobView's. Each
/// verb makes one step that the table of task.h allows, keeps all counts, and returns what its
/// caller must store, so that a later incarnation of the frontend restores the same. Memory: see
/// TaskTable, and a little more for tasks that are bound.
class JobState : public JobView {
 public:
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

  /// The decisions since the last call for groups that wait for others: see stages().
  std::vector<StageNews> take_stage_news() { return stages_.take_news(); }
  /// True if that time has come since the last call: its tasks may be handed out.
  bool end_wait(Time now) {
    return waits_to_begin_ && now >= begins_at() && std::exchange(waits_to_begin_, false);
  }
  /// No worker told of such a task, so it ends: see given().
  ReportRecord lose_given(const Attempt& given);
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
  /// The one place where a task changes state; refuses what the table does not allow.
  void move(std::uint32_t index, TaskState to);
  /// A bound attempt came to nothing: its task waits again, or is cancelled if that was asked for,
  /// or if the attempt may have begun and there can be no other one.
  TaskRecord give_back(Bindings::iterator binding, Time now, bool may_have_begun);
  /// An attempt came to nothing, so its task waits for another one; a while, if it could not start.
  void wait_again(std::uint32_t index, bool unstarted, PeerId worker, Time now);
  /// Its tasks are no more than numbers of its end.
  void forget_tasks();
  /// As a restored job has it: the tasks of all groups that wait in vain are cancelled.
  void end_missed_stages();
};

}  // namespace dunlin::sched
