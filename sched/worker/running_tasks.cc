// SPDX-License-Identifier: MIT
#include "sched/worker/running_tasks.h"

#include <algorithm>
#include <utility>

#include "sched/job.h"
#include "sched/resources.h"

// Tasks may outlive the process of their worker. The executor keeps them, and each report until it
// is acknowledged. The worker of the next incarnation takes all of it back before it offers any
// room, and says at once what runs: the leases of its tasks last as long as it was away.
namespace dunlin::sched {
namespace {

/// A task that ran beside others, which left it their room, leaves what is missing now to them.
void relieve_missing(Slots& slots, RunningTask& running) {
  Resources missing;
  missing.cpu = running.demand.cpu - std::min(running.demand.cpu, slots.free().cpu);
  for (const Rate& rate : kRates) {
    const std::uint32_t demand = running.demand.*rate.amount;
    missing.*rate.amount = demand - std::min(demand, slots.free().*rate.amount);
  }
  slots.relieve(running.relief, missing);
}

}  // namespace

void RunningTasks::take_back(Turn& turn, std::span<const KeptTask> all) {
  for (const KeptTask& kept : all) {
    if (holds(kept.task, kept.attempt)) continue;
    if (kept.ended) {
      outbox_.add(turn.now, kept.task.job, kept.frontend, *kept.ended, kept.log);
      continue;
    }
    RunningTask running{.task = kept.task,
        .attempt = kept.attempt,
        .frontend = kept.frontend,
        .demand = kept.demand,
        .task_time = kept.task_time,
        .started = turn.now - kept.suspended.value_or(Duration{0}) - kept.ran,
        .killed = kept.told_to_end.has_value(),
        .class_id = kept.class_id,
        .log = kept.log,
        .yield = kept.yield,
        .user = kept.user};
    running.went_on = running.started;
    if (kept.told_to_end == Outcome::preempted) running.preempted_for = "for another task";
    if (kept.suspended) {
      running.suspended = turn.now - *kept.suspended;
      running.stands = without_cpu(kept.demand);
    }
    if (reclaims_) relieve_missing(slots_, running);
    if (!fits(held_by(running), slots_.free())) {
      turn.executor.kill(kept.task, kept.attempt, Outcome::killed);
      turn.out.send(kept.frontend,
          Refused{.job = kept.task.job, .request = 0, .tasks = {{kept.task.index, kept.attempt}}});
      slots_.relieve(running.relief, {});
      continue;
    }
    if (kept.time_limit > Duration{0}) running.limit = running.started + kept.time_limit;
    slots_.hold(turn.now, footprint(running));
    running_.push_back(std::move(running));
    turn.events.on(TaskTakenBack{kept.task.job, kept.task.index, kept.attempt});
  }
}

void RunningTasks::refuse(
    Turn& turn, const Endpoint& to, const Tasks& tasks, std::size_t first) const {
  Refused refused{.job = tasks.job, .request = tasks.request, .tasks = {}};
  for (std::size_t i = first; i < tasks.tasks.size(); ++i) {
    const Assignment& task = tasks.tasks[i];
    // An answer that came twice is no reason to refuse what it started.
    if (holds({tasks.job, task.index}, task.attempt)) continue;
    refused.tasks.push_back({task.index, task.attempt});
  }
  if (!refused.tasks.empty()) turn.out.send(to, refused);
}

std::optional<RunningTask> RunningTasks::end(Turn& turn, const Exit& exit) {
  const TaskId task{exit.job, exit.report.index};
  RunningTask* const found = find(task, exit.report.attempt);
  if (found == nullptr) {
    turn.executor.forget(task, exit.report.attempt);
    return std::nullopt;
  }
  RunningTask ended = std::move(*found);
  running_.erase(running_.begin() + (found - running_.data()));
  slots_.release(turn.now, footprint(ended));
  slots_.end_task(ended.relief);
  Report report = exit.report;
  if (report.outcome == Outcome::preempted && report.detail.empty()) {
    report.detail = ended.preempted_for;
  }
  outbox_.add(turn.now, exit.job, ended.frontend, report, ended.log);
  start_waiting(turn);
  return ended;
}

void RunningTasks::kill(Turn& turn, const Endpoint& from, const Kill& kill) {
  Refused unknown{.job = kill.job, .request = 0, .tasks = {}};
  for (const Attempt& target : kill.tasks) {
    const TaskId task{kill.job, target.index};
    if (RunningTask* const running = find(task, target.attempt)) {
      // A home that was deposed, and does not know, has no say any more.
      if (running->log.log != 0 && running->frontend.id != from.id) continue;
      if (running->waits) {
        if (unknown.tasks.size() == Refused::kTasksMax) continue;  // It is told again.
        unknown.tasks.push_back(target);
        drop_waiting(turn, *running);
      } else if (kill.requeue) {
        preempt(
            turn, static_cast<std::size_t>(running - running_.data()), {}, "at its user's word");
      } else {
        stop_task(turn, *running, Outcome::killed);
      }
    } else if (!holds(task, target.attempt) && unknown.tasks.size() < Refused::kTasksMax) {
      unknown.tasks.push_back(target);
    }
  }
  if (!unknown.tasks.empty()) turn.out.send(from, unknown);
}

void RunningTasks::orphan(Turn& turn, PeerId frontend) {
  for (std::size_t i = running_.size(); i-- > 0;) {
    RunningTask& running = running_[i];
    if (running.frontend.id != frontend || running.killed) continue;
    turn.events.on(TaskOrphaned{running.task.job, running.task.index, running.attempt});
    if (running.waits) {
      drop_waiting(turn, running);
    } else {
      stop_task(turn, running, Outcome::killed);
    }
  }
}

bool RunningTasks::holds(const TaskId& task, AttemptNumber attempt) const {
  const auto same = [&](const RunningTask& r) { return r.task == task && r.attempt == attempt; };
  return std::ranges::any_of(running_, same) || outbox_.holds(task.job, task.index, attempt);
}

RunningTask* RunningTasks::find(const TaskId& task, AttemptNumber attempt) {
  const auto found = std::ranges::find_if(
      running_, [&](const RunningTask& r) { return r.task == task && r.attempt == attempt; });
  return found == running_.end() ? nullptr : &*found;
}

void stop_task(Turn& turn, RunningTask& running, Outcome outcome) {
  // One that was to yield may take its time; its user's word that it is not wanted is another.
  const bool yields = !running.preempted_for.empty() && outcome == Outcome::killed;
  if (running.killed && !yields) return;
  running.killed = true;
  running.preempted_for.clear();
  turn.executor.kill(running.task, running.attempt, outcome);
}

}  // namespace dunlin::sched
