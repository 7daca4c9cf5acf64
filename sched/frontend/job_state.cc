// SPDX-License-Identifier: MIT
#include "sched/frontend/job_state.h"

#include <algorithm>
#include <cstdlib>

// A task waits, is bound to one worker, and ends, with a few ways back. Each way has one verb here,
// and no other code changes a task. A binding is not stored: storing one would cost a disk write
// for every start, and after a crash workers say themselves what they run. Ends and losses are
// stored, because they count: against retries, in attempt numbers, and as the task's one result.
// A fault of a node does not count against retries. Such a task rests, and goes elsewhere.
namespace dunlin::sched {
namespace {

/// Attempts that could not start in a place that the user named, forgiven although the user asked
/// for no retries: another node may have that directory.
constexpr std::uint16_t kSpawnRetries = 3;
constexpr bool is_bound(TaskState state) {
  return state == TaskState::launched || state == TaskState::cancelling;
}

bool is_of(const Binding& binding, const Attempt& attempt, PeerId worker) {
  return binding.attempt == attempt.attempt && (binding.launching || binding.worker.id == worker);
}

/// False if it could not even start.
bool has_begun(const Report& report) {
  return report.outcome != Outcome::spawn_failed || report.cause == Cause::lost;
}

/// Attempts that may be lost because a node's disk had no room for their output.
constexpr std::uint16_t kDiskLossesMax = 3;

/// Why an attempt came to nothing that was not at fault.
constexpr const char* kGuessedMemory =
    "it needs more memory than such tasks used before: it runs again at its own limit";

/// An attempt was killed for lack of memory that was an estimate: the estimate is at fault, so that
/// costs the task no retry, and none of its group gets by with so little again.
void count_guess(JobView::Group& group, Report& counted) {
  group.memory_too_little = true;
  counted.outcome = Outcome::preempted;
  counted.detail = kGuessedMemory;
}

/// The state of a task with this final result. It follows from the result alone, because that is
/// all that a restarted frontend knows: a task that failed by itself before it could be stopped has
/// failed.
TaskState final_state(Outcome outcome, std::int32_t status) {
  if (outcome == Outcome::killed) return TaskState::cancelled;
  return outcome == Outcome::exited && status == 0 ? TaskState::succeeded : TaskState::failed;
}

/// How long after the submit of its job a task that ran before began; empty if that is not known.
/// By wall clocks of two nodes, as good as they are.
std::optional<Duration> start_of(const StoredTask& stored, const Job& job) {
  if (stored.started_at == 0) return std::nullopt;
  return age_between(job.submitted_at, stored.started_at);
}

/// Likewise when it ended, where it began at `started`.
Duration end_of(const StoredTask& stored, Duration started) {
  return sane_age(started + std::clamp(stored.wall, Duration{0}, kJobAgeMax));
}

/// A task that fills each disk it meets must end one day.
void count_disk_loss(Setbacks& setbacks, Report& counted) {
  if (!is_disk_loss(counted)) return;
  if (setbacks.count_disk_loss(counted.index) < kDiskLossesMax) return;
  counted.cause = Cause::task;
  counted.outcome = Outcome::exited;
  counted.status = EXIT_FAILURE;
}

/// The state of a task after an attempt of it ended so.
TaskState state_after(const JobState::Task& task, const Report& report, std::uint16_t retries) {
  if (is_success(report)) return TaskState::succeeded;
  if (task.state == TaskState::cancelling) return final_state(report.outcome, report.status);
  // An attempt stopped unasked is not the task's failure: its worker left, or took us for dead.
  if (!is_own_failure(report)) return TaskState::waiting;
  if (report.outcome == Outcome::spawn_failed) retries = std::max(kSpawnRetries, retries);
  return task.attempts.failures() < retries ? TaskState::waiting : TaskState::failed;
}

/// The same of a task that has no second attempt: one that has begun was its last. It failed if
/// that was its own doing. Else it is lost if its user said so (`never`), or cancelled, because its
/// input was given once and nothing is left to run it with.
TaskState state_after_last(TaskState next, Report& counted, bool never) {
  if (next != TaskState::waiting) return next;
  if (is_own_failure(counted)) return TaskState::failed;
  if (never) {
    end_as_lost(counted);
    return TaskState::failed;
  }
  counted.outcome = Outcome::killed;
  counted.detail = kInputGone;
  return TaskState::cancelled;
}

}  // namespace

JobState::JobState(Job job, Time accepted, AttemptNumber base)
    : JobView(std::move(job), accepted, base) {}

void JobState::move(std::uint32_t index, TaskState to) {
  Task& task = tasks_.edit(index);
  ensure(may_become(task.state, to), "a task may not change state so");
  const std::uint16_t of = group_of(index);
  Group& group = groups_[of];
  stages_.move(of, task.state, to);
  if (setbacks_.rests(index)) group.rest(false);
  setbacks_.wake(index);
  given_.forget(index);
  if (is_final(to)) {
    setbacks_.erase(index);
    requeued_.erase(index);
  }
  if (task.state == TaskState::waiting) --group.waiting;
  if (to == TaskState::waiting) ++group.waiting;
  const bool waits_on = to == TaskState::waiting;
  if (group.inputs.any() && waits_on != (task.state == TaskState::waiting)) {
    group.inputs.wait(index - group.first, waits_on);
  }
  if (is_final(to)) group.inputs.forget_misses(index - group.first);
  if (is_bound(task.state)) --group.bound;
  if (is_bound(to)) ++group.bound;
  --counts_.of[static_cast<std::size_t>(task.state)];
  ++counts_.of[static_cast<std::size_t>(to)];
  task.state = to;
}

bool JobState::end_rests(Time now) {
  const std::vector<std::uint32_t> rested = setbacks_.rested(now);
  for (const std::uint32_t index : rested) {
    Group& group = groups_[group_of(index)];
    setbacks_.wake(index);
    group.rest(false);
    group.queue.push(index);
  }
  return !rested.empty();
}

std::optional<JobProgress> JobState::restore(
    const JobProgress& progress, const std::vector<StoredTask>& tasks, Time now, Time held_until) {
  progress_ = progress;
  set_terms(job_, progress_.terms);
  end_wait(now);
  if (pruned()) {
    forget_tasks();
    finish(now);
    return std::nullopt;
  }
  std::optional<Duration> last;
  for (const StoredTask& stored : tasks) {
    if (stored.index >= task_count()) continue;
    if (stored.retried > 0) retried_[stored.index] = stored.retried;
    tasks_.edit(stored.index).attempts = {
        stored.failures, stored.losses, stored.ended, stored.lost};
    if (stored.preemptions > 0) preemptions_[stored.index] = stored.preemptions;
    if (stored.to_requeue > 0) requeued_[stored.index] = stored.to_requeue;
    if (runs_once()) given_.restore(stored);
    if (stored.finished) {
      const TaskState state = final_state(stored.outcome, stored.status);
      move(stored.index, state);
      tasks_.edit(stored.index).recorded = true;
      tasks_.edit(stored.index).end(stored.outcome, stored.status);
      if (const auto started = start_of(stored, job_)) {
        begun_ = std::min(begun_.value_or(Time::max()), accepted_ + *started);
        last = std::max(last, OptionalDuration(end_of(stored, *started)));
      }
      if (state == TaskState::succeeded) groups_[group_of(stored.index)].learn(stored.wall);
    } else if (!stored.avoided.empty()) {
      setbacks_.restore(stored.index, stored.avoided, held_until);
    }
  }
  if (progress_.cancelled) {
    // Those that still run somewhere are stopped when their workers report them.
    for (std::uint32_t i = 0; i < task_count(); ++i) {
      if (!is_final(tasks_[i].state)) move(i, TaskState::cancelled);
    }
  }
  end_missed_stages();
  tasks_.compact();
  if (counts_.all_final()) {
    // A store of an older Dunlin does not say when it ended, but its tasks do.
    finish(last && !progress_.ended ? std::min(now, accepted_ + *last) : now);
    return std::nullopt;
  }
  progress_.ended.reset();
  ++progress_.restarts;
  held_until_ = held_until;
  return progress_;
}

std::optional<TaskRecord> JobState::decline(const Attempt& attempt, Time now) {
  ensure(is_launching(attempt), "only what is launched can be declined");
  const auto binding = bindings_.find(attempt.index);
  if (tasks_[attempt.index].state == TaskState::cancelling) return give_back(binding, now, false);
  bindings_.erase(binding);
  move(attempt.index, TaskState::waiting);
  setbacks_.wait_again(attempt.index, now);
  groups_[group_of(attempt.index)].queue.push(attempt.index);
  return std::nullopt;
}

bool JobState::confirm(const Attempt& running, const Holder& holder, Time now) {
  const auto found = bindings_.find(running.index);
  if (found == bindings_.end() || !is_of(found->second, running, holder.worker.id)) return false;
  Binding& binding = found->second;
  if (binding.launching) binding.worker = holder.worker;
  binding.heard = !binding.launching;
  binding.launching = false;
  binding.confirmed = now;
  binding.incarnation = holder.incarnation;
  binding.away = holder.away;
  binding.suspended = holder.suspended;
  return tasks_[running.index].state == TaskState::launched;
}

TaskRecord JobState::give_back(Bindings::iterator binding, Time now, bool may_have_begun) {
  const Attempt attempt{binding->first, binding->second.attempt};
  const PeerId worker = binding->second.worker.id;
  bindings_.erase(binding);
  Task& task = tasks_.edit(attempt.index);
  const bool cancelled = task.state == TaskState::cancelling;
  if (may_have_begun && runs_once() && !cancelled) {
    ReportRecord end = lost_for_good(attempt, worker);
    move(attempt.index, TaskState::failed);
    task.recorded = true;
    task.end(end.report.outcome, end.report.status);
    return end;
  }
  const bool is_last = may_have_begun && spec_of(group_of(attempt.index)).once;
  if (cancelled || is_last) {
    ReportRecord end = killed(attempt, worker);
    if (!cancelled) {
      end.report.detail = kInputGone;
      move(attempt.index, TaskState::cancelling);
    }
    move(attempt.index, TaskState::cancelled);
    task.recorded = true;
    return end;
  }
  // Even an attempt that never started is counted. Its number must not be given again: a late copy
  // of the answer that bound it would match.
  task.attempts.count_loss(attempt.attempt);
  move(attempt.index, TaskState::waiting);
  Group& group = groups_[group_of(attempt.index)];
  // Nodes to which nothing lends take such a task and give it back for ever: the time in which it
  // avoids the one that could run it must end all the same.
  if (!group.inputs.any()) setbacks_.wait_again(attempt.index, now);
  group.queue.push(attempt.index);
  return LossRecord{.attempt = attempt, .worker = worker};
}

TaskRecord JobState::lose(std::uint32_t index, Time now) {
  const auto binding = bindings_.find(index);
  ensure(binding != bindings_.end(), "only what is bound can be lost");
  // Nothing is given to read before it is known where the task runs; but it may run.
  return give_back(binding, now, runs_once() || !binding->second.launching);
}

std::optional<TaskRecord> JobState::refuse(
    const Attempt& refused, PeerId worker, Time now, bool unlent) {
  const auto binding = bindings_.find(refused.index);
  if (binding == bindings_.end() || !is_of(binding->second, refused, worker)) return std::nullopt;
  Group& group = groups_[group_of(refused.index)];
  const std::uint32_t task = refused.index - group.first;
  if (unlent && group.inputs.is_held(task) && !group.inputs.is_at(task, worker)) {
    group.inputs.miss(task, now);
  }
  return give_back(binding, now, false);
}

std::optional<JobState::Ending> JobState::end(
    const Report& report, PeerId worker, Time now, std::uint32_t speed) {
  if (report.index >= task_count()) return std::nullopt;
  if (is_final(tasks_[report.index].state)) return std::nullopt;  // One result is enough.
  Task& task = tasks_.edit(report.index);
  const auto again = retried_.find(report.index);
  if (again != retried_.end() && report.attempt <= again->second) return std::nullopt;
  const auto binding = bindings_.find(report.index);
  const bool bound = binding != bindings_.end();
  const bool current = bound && is_of(binding->second, {report.index, report.attempt}, worker);
  // A restarted frontend hears of attempts that it does not remember binding.
  const bool remembered_by_worker = now < held_until_ && task.state == TaskState::waiting &&
      task.attempts.may_return(report.attempt, progress_.restarts, base_);
  const bool success = is_success(report);
  const auto wish = requeued_.find(report.index);
  const bool requeued = wish != requeued_.end() && wish->second == report.attempt;
  // An attempt that was replaced counts no more, unless it succeeded and need not run again.
  if (!current && !remembered_by_worker && (!success || requeued)) return std::nullopt;

  Ending ending{.record = {.report = report, .worker = worker, .final = true}, .replaced = {}};
  Report& counted = ending.record.report;
  // Its worker may not have heard that it runs again: its home died, or the word was lost.
  if (requeued && task.state != TaskState::cancelling) counted.outcome = Outcome::preempted;
  const std::uint16_t of = group_of(report.index);
  Group& group = groups_[of];
  const bool memory_guessed = current ? binding->second.memory_guessed : spec_of(of).memory_unsaid;
  if (memory_guessed && report.outcome == Outcome::out_of_memory && !runs_once()) {
    count_guess(group, counted);
  }
  count_disk_loss(setbacks_, counted);
  // It was asked to end, and it is gone: not even then does its node's fault make it fail.
  const bool stopped = is_node_fault(report) || counted.outcome == Outcome::preempted;
  if (task.state == TaskState::cancelling && stopped) counted.outcome = Outcome::killed;
  if (bound && !current) {
    ending.replaced = {binding->second.worker, {report.index, binding->second.attempt}};
  }
  const OptionalDuration passed =
      current ? OptionalDuration(now - binding->second.bound) : std::nullopt;
  if (bound) bindings_.erase(binding);
  TaskState next = state_after(task, counted, spec_of(of).retries);
  const bool is_last = (spec_of(of).once || runs_once()) && has_begun(report);
  if (is_last) next = state_after_last(next, counted, runs_once());
  // The table knows no way from launched to cancelled but this.
  if (next == TaskState::cancelled && task.state == TaskState::launched) {
    move(report.index, TaskState::cancelling);
  }
  if (success) group.learn(report.wall, speed);
  if (success && passed) group.learn_besides(*passed, report.wall);
  if (next != task.state) move(report.index, next);
  given_.forget(report.index);
  task.recorded = is_final(next);
  if (task.recorded) task.end(counted.outcome, counted.status);
  ensure(!task.recorded || counted.outcome != Outcome::preempted, "a task ends as preempted");
  if (next != TaskState::waiting) return ending;
  ending.record.final = false;
  task.attempts.count_end(report.attempt, is_own_failure(counted));
  if (counted.outcome == Outcome::preempted) ++preemptions_[report.index];
  wait_again(report.index, report.outcome == Outcome::spawn_failed, worker, now);
  return ending;
}

void JobState::wait_again(std::uint32_t index, bool unstarted, PeerId worker, Time now) {
  Group& group = groups_[group_of(index)];
  if (!unstarted) {
    setbacks_.wait_again(index, now);
    group.queue.push(index);
    return;
  }
  // It waited already if it was an attempt of an earlier incarnation: then it may rest.
  if (!setbacks_.rests(index)) group.rest(true);
  setbacks_.add(index, worker, now);
}

}  // namespace dunlin::sched
