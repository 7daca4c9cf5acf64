// SPDX-License-Identifier: MIT
// The half of a worker that deals in tasks: start, stop, report, and the leases of both sides.
#include <algorithm>
#include <map>

#include "sched/job.h"
#include "sched/worker/share/class_shares.h"
#include "sched/worker/worker.h"

namespace dunlin::sched {
namespace {

/// Attempts in one message; the schema's bound.
constexpr std::size_t kAttemptsMax = 128;
/// Reports that no frontend took for so long are dropped.
constexpr Duration kReportKept = std::chrono::hours(1);
/// A frontend silent for so many confirmations is asked no more.
constexpr int kSilentConfirms = 4;

}  // namespace

void Worker::start(
    Turn& turn, const PendingRequest& asked, const Tasks& tasks, const Assignment& assignment) {
  const Reserve& reserve = asked.reservation.reserve;
  const TaskId task{tasks.job, assignment.index};
  if (holds(task, assignment.attempt)) return;
  hold(turn.now, reserve.class_id, reserve.demand);
  running_.push_back({.task = task,
      .attempt = assignment.attempt,
      .frontend = asked.reservation.frontend,
      .demand = reserve.demand,
      .task_time = sane_task_time(tasks.task_time),
      .started = turn.now,
      .limit = tasks.time_limit > Duration{0} ? turn.now + tasks.time_limit : kNever,
      .class_id = reserve.class_id});
  turn.events.on(TaskStarted{task.job, task.index, assignment.attempt});
  turn.executor.start({.task = task,
      .attempt = assignment.attempt,
      .demand = reserve.demand,
      .task_count = tasks.task_count,
      .job_name = tasks.name,
      .spec = tasks.spec,
      .entry = assignment.entry});
}

bool Worker::holds(const TaskId& task, std::uint16_t attempt) const {
  return std::ranges::any_of(running_,
             [&](const RunningTask& r) { return r.task == task && r.attempt == attempt; }) ||
      outbox_.holds(task.job, task.index, attempt);
}

void Worker::refuse(Turn& turn, const Endpoint& to, const Tasks& tasks, std::size_t first) {
  Refused refused{.job = tasks.job, .request = tasks.request, .tasks = {}};
  for (std::size_t i = first; i < tasks.tasks.size(); ++i) {
    const Assignment& task = tasks.tasks[i];
    // An answer that came twice is no reason to refuse what it started.
    if (holds({tasks.job, task.index}, task.attempt)) continue;
    refused.tasks.push_back({task.index, task.attempt});
  }
  if (!refused.tasks.empty()) turn.out.send(to, refused);
}

void Worker::on_exits(Turn& turn, std::span<const Exit> exits) {
  for (const Exit& exit : exits) {
    const auto ended = std::ranges::find_if(running_, [&](const RunningTask& r) {
      return r.task == TaskId{exit.job, exit.report.index} && r.attempt == exit.report.attempt;
    });
    if (ended == running_.end()) continue;
    release(turn.now, ended->class_id, ended->demand);
    if (shares_) shares_->ran(ended->class_id, exit.report.cpu);
    outbox_.add(turn.now, exit.job, ended->frontend, exit.report);
    running_.erase(ended);
  }
  // The news first: what is asked for next must find the frontend up to date.
  send_reports(turn);
  dispatch(turn);
  schedule(turn.now);
}

void Worker::send_reports(Turn& turn) {
  outbox_.send_due(turn, load(), params_.resend, kReportKept);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const DoneAck& ack) {
  if (from.id != ack.job.home) return;
  heard(turn.now, from.id);
  outbox_.acknowledge(ack.job, ack.tasks);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const RenewAck& ack) {
  if (from.id == ack.job.home) heard(turn.now, from.id);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Remaining& remaining) {
  if (from.id != remaining.job.home) return;
  heard(turn.now, from.id);
  for (QueuedReservation& waiting : queue_.waiting()) {
    if (waiting.reserve.job == remaining.job) waiting.reserve.work = remaining.work;
  }
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Kill& kill) {
  if (from.id != kill.job.home) return;
  heard(turn.now, from.id);
  Refused unknown{.job = kill.job, .request = 0, .tasks = {}};
  for (const Attempt& target : kill.tasks) {
    const TaskId task{kill.job, target.index};
    const auto running = std::ranges::find_if(running_,
        [&](const RunningTask& r) { return r.task == task && r.attempt == target.attempt; });
    if (running != running_.end()) {
      stop(turn, *running, Outcome::killed);
    } else if (!holds(task, target.attempt) && unknown.tasks.size() < 64) {
      unknown.tasks.push_back(target);  // So that its frontend sees it dead.
    }
  }
  if (!unknown.tasks.empty()) turn.out.send(from, unknown);
}

void Worker::stop(Turn& turn, RunningTask& running, Outcome outcome) {
  if (running.killed) return;
  running.killed = true;
  turn.executor.kill(running.task, running.attempt, outcome);
}

void Worker::enforce_limits(Turn& turn) {
  for (RunningTask& running : running_) {
    if (running.limit <= turn.now) stop(turn, running, Outcome::time_limit);
  }
}

void Worker::renew(Turn& turn) {
  // Grouped by job, in an order that is the same on every run.
  std::map<std::pair<PeerId, std::uint32_t>, std::vector<const RunningTask*>> by_job;
  for (const RunningTask& running : running_) {
    by_job[{running.task.job.home, running.task.job.number}].push_back(&running);
  }
  for (const auto& [job, tasks] : by_job) {
    for (std::size_t begin = 0; begin < tasks.size(); begin += kAttemptsMax) {
      Renew message{
          .job = tasks[begin]->task.job, .incarnation = incarnation_, .tasks = {}, .load = load()};
      const std::size_t end = std::min(tasks.size(), begin + kAttemptsMax);
      for (std::size_t i = begin; i < end; ++i) {
        message.tasks.push_back({tasks[i]->task.index, tasks[i]->attempt});
      }
      turn.out.send(tasks[begin]->frontend, message);
    }
  }
}

void Worker::heard(Time now, PeerId frontend) {
  const auto lease = std::ranges::find(leases_, frontend, &FrontendLease::frontend);
  if (lease == leases_.end()) {
    leases_.push_back({frontend, now});
    return;
  }
  if (now - lease->heard > 2 * params_.renew) {
    outbox_.hurry(now, frontend);
    deadlines_.set(Timer::outbox, outbox_.next());
  }
  lease->heard = now;
}

void Worker::reap(Turn& turn) {
  for (const FrontendLease& lease : leases_) {
    const Duration silence = turn.now - lease.heard;
    if (silence > kSilentConfirms * params_.queue_renew) {
      std::erase_if(queue_.waiting(),
          [&](const QueuedReservation& waiting) { return waiting.frontend.id == lease.frontend; });
    }
    if (silence <= params_.orphan_after) continue;
    for (RunningTask& running : running_) {
      if (running.frontend.id != lease.frontend || running.killed) continue;
      turn.events.on(TaskOrphaned{running.task.job, running.task.index, running.attempt});
      stop(turn, running, Outcome::killed);
    }
  }
  std::erase_if(leases_, [&](const FrontendLease& lease) {
    const auto of_it = [&](const auto& item) { return item.frontend.id == lease.frontend; };
    return std::ranges::none_of(running_, of_it) && std::ranges::none_of(queue_.waiting(), of_it) &&
        std::ranges::none_of(outbox_.items(), of_it);
  });
}

}  // namespace dunlin::sched
