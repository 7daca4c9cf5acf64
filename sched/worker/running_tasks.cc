// SPDX-License-Identifier: MIT
#include "sched/worker/running_tasks.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>
#include <utility>

#include "sched/job.h"
#include "sched/resources.h"

// A worker and a frontend each believe that the other lives as long as they hear of it. The worker
// says every `renew` what runs; the answer is its lease. A frontend that is silent for a few
// confirmations is asked for no more tasks. One that is silent for `orphan_after` has no use for
// its tasks, so they are stopped. Reports are kept much longer: they are the only trace of work
// that is done, and their frontend may come back.
// Tasks may outlive the process of their worker. The executor keeps them, and each report until it
// is acknowledged. The worker of the next incarnation takes all of it back before it offers any
// room, and says at once what runs: the leases of its tasks last as long as it was away.
namespace dunlin::sched {
namespace {

/// Reports that no frontend took for so long are dropped.
constexpr Duration kReportKept = std::chrono::hours(1);
/// The standbys of one silent for so many are asked.
constexpr int kSilentRenewals = 2;
/// The home of a log that is silent for so many is looked for anywhere.
constexpr int kLostRenewals = 8;
/// A frontend silent for so many confirmations is asked no more.
constexpr int kSilentConfirms = 4;

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
    leases_.heard(turn.now, kept.frontend.id);
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

void RunningTasks::renew(Turn& turn, const Load& load, Duration away) const {
  // Grouped by job, in an order that is the same on every run.
  std::map<std::tuple<PeerId, std::uint32_t, std::uint64_t>, std::vector<const RunningTask*>>
      by_job;
  for (const RunningTask& running : running_) {
    const JobId& job = running.task.job;
    by_job[{job.home, job.number, job.lineage}].push_back(&running);
  }
  for (const auto& [job, tasks] : by_job) {
    for (std::size_t begin = 0; begin < tasks.size(); begin += Renew::kTasksMax) {
      Renew message{.job = tasks[begin]->task.job,
          .incarnation = incarnation_.number,
          .tasks = {},
          .load = load,
          .since = incarnation_.since,
          .away = away,
          .log = tasks[begin]->log.log,
          .version = tasks[begin]->log.version};
      const std::size_t end = std::min(tasks.size(), begin + Renew::kTasksMax);
      for (std::size_t i = begin; i < end; ++i) {
        message.tasks.push_back({tasks[i]->task.index, tasks[i]->attempt});
        if (tasks[i]->suspended) message.suspended.push_back(tasks[i]->task.index);
      }
      turn.out.send(tasks[begin]->frontend, message);
      // Perhaps one of its standbys drives the job by now.
      if (leases_.silence(turn.now, tasks[begin]->frontend.id) <= kSilentRenewals * params_.renew) {
        continue;
      }
      for (const LogReplica& standby : tasks[begin]->log.standbys) {
        turn.out.send({standby.node, standby.address}, message);
      }
    }
  }
}

void RunningTasks::answer(
    Turn& turn, const Endpoint& from, const AskAfter& asked, const Load& load) {
  Renew here{.job = asked.job,
      .incarnation = incarnation_.number,
      .tasks = {},
      .load = load,
      .since = incarnation_.since};
  Refused gone{.job = asked.job, .request = 0, .tasks = {}};
  for (const Attempt& each : asked.tasks) {
    const TaskId task{asked.job, each.index};
    if (const RunningTask* const running = find(task, each.attempt)) {
      here.tasks.push_back(each);
      if (running->suspended) here.suspended.push_back(each.index);
    } else if (!holds(task, each.attempt)) {
      gone.tasks.push_back(each);
    }
  }
  outbox_.hurry(turn.now, from.id);
  if (!here.tasks.empty()) turn.out.send(from, here);
  if (!gone.tasks.empty()) turn.out.send(from, gone);
}

void RunningTasks::send_reports(Turn& turn, const Load& load, std::uint32_t speed) {
  outbox_.send_due(
      turn, {.load = load, .speed = speed}, params_.resend, kReportKept, [&](PeerId frontend) {
        return leases_.silence(turn.now, frontend) > kSilentRenewals * params_.renew;
      });
}

void RunningTasks::acknowledge(Turn& turn, const Endpoint& from, const DoneAck& ack) {
  outbox_.acknowledge(turn, from.id, ack.job, ack.tasks);
}

bool RunningTasks::follow(Time now, const LogHomes::Home& home) {
  bool moved = false;
  for (RunningTask& running : running_) {
    if (running.log.log != home.log.log) continue;
    if (running.log.epoch < home.log.epoch) {
      running.frontend = home.node;
      moved = true;
    }
    if (running.log.epoch <= home.log.epoch) running.log = home.log;
  }
  return outbox_.follow(now, home) || moved;
}

void RunningTasks::reassure(Time now, std::uint64_t log) {
  const auto silent = [&](const RunningTask& running) { return running.log.log == log; };
  const auto running = std::ranges::find_if(running_, silent);
  if (running != running_.end()) leases_.excuse(now, running->frontend.id);
  outbox_.reassure(now, log);
}

std::vector<FindHome> RunningTasks::lost_homes(Time now) const {
  std::map<std::uint64_t, FindHome> lost;
  const auto note = [&](const JobId& job, const Endpoint& frontend, const TaskLog& log) {
    if (log.log != 0 && leases_.silence(now, frontend.id) > kLostRenewals * params_.renew) {
      lost.try_emplace(log.log, FindHome{.request = 0, .job = job, .log = log.log});
    }
  };
  for (const RunningTask& each : running_) note(each.task.job, each.frontend, each.log);
  for (const Outbox::Item& each : outbox_.items()) note(each.job, each.frontend, each.log);
  std::vector<FindHome> questions;
  questions.reserve(lost.size());
  for (const auto& [log, question] : lost) questions.push_back(question);
  return questions;
}

void RunningTasks::hear(const overlay::Descriptor& node) {
  if (!leases_.is_news(node.id, node.incarnation)) return;
  for (RunningTask& running : running_) {
    if (running.frontend.id == node.id) running.frontend.address = node.address;
  }
  outbox_.redirect({node.id, node.address});
}

bool RunningTasks::heard(Time now, PeerId frontend) {
  if (leases_.heard(now, frontend) <= 2 * params_.renew) return false;
  outbox_.hurry(now, frontend);
  return true;
}

void RunningTasks::reap(Turn& turn, Queue& queue) {
  for (const FrontendLeases::Lease& lease : leases_.all()) {
    const Duration silence = turn.now - lease.heard;
    if (silence > kSilentConfirms * params_.queue_renew) queue.erase_of(lease.frontend);
    if (turn.now - std::max(lease.heard, lease.excused) <= params_.orphan_after) continue;
    for (std::size_t i = running_.size(); i-- > 0;) {
      RunningTask& running = running_[i];
      if (running.frontend.id != lease.frontend || running.killed) continue;
      turn.events.on(TaskOrphaned{running.task.job, running.task.index, running.attempt});
      if (running.waits) {
        drop_waiting(turn, running);
      } else {
        stop_task(turn, running, Outcome::killed);
      }
    }
  }
  leases_.keep_only([&](PeerId frontend) {
    const auto from_it = [&](const auto& item) { return item.frontend.id == frontend; };
    return std::ranges::any_of(running_, from_it) ||
        std::ranges::any_of(queue.waiting(), from_it) ||
        std::ranges::any_of(outbox_.items(), from_it);
  });
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
