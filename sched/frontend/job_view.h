// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sched/frontend/history/job_history.h"
#include "sched/frontend/inputs/input_index.h"
#include "sched/frontend/stages/stages.h"
#include "sched/frontend/tasks/given_tasks.h"
#include "sched/frontend/tasks/setbacks.h"
#include "sched/frontend/tasks/task_attempts.h"
#include "sched/frontend/tasks/task_table.h"
#include "sched/frontend/tasks/waiting_tasks.h"
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

/// A job and where each of its tasks stands, to read. The only one that there is belongs to a
/// JobState, which alone changes it.
class JobView {
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
    /// A longer time is no cost of a slot: it stood still, or waited for another one to leave.
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
  /// True until JobState::end_wait() finds that its user's time to begin has come: until then it
  /// hands out no task.
  bool waits_to_begin() const { return waits_to_begin_; }
  /// When that is; before its submit if its user named no time.
  Time begins_at() const { return job_.begin ? accepted_ + *job_.begin : Time::min(); }
  /// True if none of its tasks has a second attempt where the first may have begun: see Rerun.
  bool runs_once() const { return job_.rerun == Rerun::never; }
  /// Those that an earlier life handed out then. As long as there are any no task is.
  const GivenTasks& given() const { return given_; }
  /// No task may be handed out before this: a restarted frontend listens first.
  Time held_until() const { return held_until_; }
  /// Tasks of a group that may be handed out now: of those that wait none while the job is held or
  /// waits for others or the group does, and no more than may be bound at once.
  std::uint32_t offered(std::uint16_t group) const;

  /// Attempts of the task that were preempted, since its user last had it run again.
  std::uint16_t preemptions(std::uint32_t index) const;
  /// Those of which there are any, by index.
  const std::map<std::uint32_t, std::uint16_t>& preempted() const { return preemptions_; }
  /// True if that attempt is launched, and no worker is known to have it.
  bool is_launching(const Attempt& attempt) const;
  /// The attempts of a task that can be numbered are used up.
  bool is_worn_out(std::uint32_t index) const;

 protected:
  using Bindings = std::map<std::uint32_t, Binding>;

  JobView(Job job, Time accepted, AttemptNumber base);

  AttemptNumber next_attempt(std::uint32_t index) const {
    return tasks_[index].attempts.next(progress_.restarts, base_);
  }
  /// How it ends if all tasks are final by then.
  EndFacts end_at(Time at) const;

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
inline std::uint16_t group_count(const JobView& job) {
  return static_cast<std::uint16_t>(job.groups().size());
}

/// True if a master may launch tasks of the group now, or park them. Those that start together are
/// held one by one, and those with inputs in places are left to reservations: a master does not
/// know where they are. So are those that never run twice: each launch that a master refuses would
/// count as one that has begun.
inline bool is_launched(const JobView& job, std::uint16_t group) {
  const bool apart = job.spec_of(group).gang || job.groups()[group].inputs.any();
  return job.offered(group) > 0 && !apart && !job.runs_once();
}

/// Calls `act(i, after)` for each of Job::after_jobs that the job still waits for.
void for_each_awaited(const JobView& job, auto&& act) {
  const JobProgress& progress = job.progress();
  const std::uint32_t decided = progress.after_met | progress.after_missed;
  const std::vector<AfterJob>& after = job.job().after_jobs;
  for (std::size_t i = 0; i < after.size(); ++i) {
    if ((decided >> i & 1) == 0) act(i, after[i]);
  }
}
/// True if it starts no task before other jobs have ended.
inline bool waits_for_jobs(const JobView& job) {
  bool waits = false;
  for_each_awaited(job, [&](std::size_t, const AfterJob&) { waits = true; });
  return waits;
}
/// True if none of its tasks may start now, whatever room there is.
inline bool is_held_back(const JobView& job) {
  return job.progress().held || job.waits_to_begin() || waits_for_jobs(job);
}

}  // namespace dunlin::sched
