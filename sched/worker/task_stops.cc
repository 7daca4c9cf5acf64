// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <string>

#include "sched/resources.h"
#include "sched/worker/running_tasks.h"

// A task that is in the way of another one ends, or stands still if its user asked for that. One
// that stands keeps its memory, its custom resources and its place, and gives its CPU at once: the
// executor has it stand before anything that starts later. Time stands still for it, too: what it
// runs, and its limit, count on when it goes on.
namespace dunlin::sched {
namespace {

std::uint64_t in_ms(Duration time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

}  // namespace

void RunningTasks::preempt(Turn& turn, std::size_t i, const JobId& by, const std::string& why) {
  RunningTask& running = running_[i];
  if (running.killed) return;
  if (running.yield.on_preempt == OnPreempt::suspend && by.number != 0) {
    return suspend(turn, running, by);
  }
  turn.events.on(TaskPreempted{
      running.task.job, running.task.index, running.attempt, by, in_ms(ran_by(running, turn.now))});
  stop_task(turn, running, Outcome::preempted);
  running.preempted_for = why;
}

void RunningTasks::suspend(Turn& turn, RunningTask& running, const JobId& by) {
  if (running.suspended) return;
  turn.events.on(TaskSuspended{running.task.job, running.task.index, running.attempt, by});
  turn.executor.suspend(running.task, running.attempt);
  slots_.release(turn.now, footprint(running));
  running.suspended = turn.now;
  running.suspended_by = by;
  running.stands = without_cpu(running.demand);
  ++running.yield.preemptions;
  slots_.hold(turn.now, footprint(running));
  start_waiting(turn);
}

void RunningTasks::resume(Turn& turn, std::size_t i) {
  RunningTask& running = running_[i];
  const Duration stood = turn.now - *running.suspended;
  slots_.release(turn.now, footprint(running));
  running.suspended.reset();
  running.started += stood;
  if (running.limit) *running.limit += stood;
  running.went_on = turn.now;
  slots_.hold(turn.now, footprint(running));
  turn.events.on(TaskResumed{running.task.job, running.task.index, running.attempt, in_ms(stood)});
  turn.executor.resume(running.task, running.attempt);
}

bool set_priority(std::vector<RunningTask>& all, const JobId& job, std::int16_t priority) {
  bool is_news = false;
  for (RunningTask& running : all) {
    if (running.task.job != job) continue;
    is_news = is_news || running.yield.priority != priority;
    running.yield.priority = priority;
  }
  return is_news;
}

void RunningTasks::enforce_limits(Turn& turn) {
  for (RunningTask& running : running_) {
    if (running.suspended) {
      if (running.killed || *running.suspended + params_.suspend_max > turn.now) continue;
      turn.events.on(TaskPreempted{running.task.job, running.task.index, running.attempt,
          running.suspended_by, in_ms(ran_by(running, turn.now))});
      stop_task(turn, running, Outcome::preempted);
      running.preempted_for = "it stood still for longer than worker.suspend_max";
    } else if (running.limit && *running.limit <= turn.now) {
      // One that yields, and has time for a checkpoint, has no more than its limit.
      if (running.killed && !running.preempted_for.empty()) {
        turn.executor.kill(running.task, running.attempt, Outcome::preempted);
      } else {
        stop_task(turn, running, Outcome::time_limit);
      }
      running.limit.reset();
    }
  }
}

Time RunningTasks::next_limit() const {
  Time earliest = kNever;
  for (const RunningTask& running : running_) {
    if (running.killed && (running.suspended || running.preempted_for.empty())) continue;
    if (running.suspended) {
      earliest = std::min(earliest, *running.suspended + params_.suspend_max);
    } else if (running.limit) {
      earliest = std::min(earliest, *running.limit);
    }
  }
  return earliest;
}

}  // namespace dunlin::sched
