// SPDX-License-Identifier: MIT
#include "sched/worker/frontends/frontend_ties.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <tuple>

// A worker and a frontend each believe that the other lives as long as they hear of it. The worker
// says every `renew` what runs; the answer is its lease. A frontend that is silent for a few
// confirmations is asked for no more tasks. One that is silent for `orphan_after` has no use for
// its tasks, so they are stopped. Reports are kept much longer: they are the only trace of work
// that is done, and their frontend may come back.
// A log of jobs may get another home while tasks of these run here. Each answer of a frontend names
// the standbys, a new home speaks for itself, and a home that is silent for long is looked for.
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
/// The home of a log is looked for again after so long.
constexpr Duration kSearchAgain = std::chrono::seconds(10);

}  // namespace

void FrontendTies::heard(Time now, PeerId frontend) {
  if (leases_.heard(now, frontend) <= 2 * params_.renew) return;
  running_.outbox().hurry(now, frontend);
  timers_.set(WorkerTimer::outbox, running_.outbox().next());
}

void FrontendTies::learn_home(Time now, const TaskLog& log, const Endpoint& home) {
  const LogHomes::Home* const before = homes_.find(log.log);
  const bool is_new = before == nullptr || before->log.epoch < log.epoch;
  if (!homes_.learn(log, home)) return;
  if (is_new) heard(now, home.id);
  follow_home(now, log.log);
}

bool FrontendTies::hear(Time now, const HomeIs& told) {
  const auto home = std::ranges::find(told.set, told.home, &LogReplica::replica);
  // A log without tasks here is nothing to this node.
  if (home == told.set.end() || homes_.find(told.log) == nullptr) return false;
  TaskLog log{.log = told.log, .epoch = told.epoch, .standbys = {}, .version = told.version};
  for (const LogReplica& replica : told.set) {
    if (replica.replica != told.home) log.standbys.push_back(replica);
  }
  learn_home(now, log, {home->node, home->address});
  follow_home(now, told.log);
  reassure(now, told.log);
  return true;
}

void FrontendTies::take_back(Time now, std::span<const KeptTask> kept) {
  for (const KeptTask& task : kept) {
    leases_.heard(now, task.frontend.id);
    homes_.learn(task.log, task.frontend);
  }
  // Some were given by homes that another task came after.
  for (const KeptTask& task : kept) {
    if (task.log.log != 0) follow(now, *homes_.find(task.log.log));
  }
}

std::vector<FindHome> FrontendTies::take_lost_homes(Time now) {
  if (now < next_search_) return {};
  std::vector<FindHome> lost = lost_homes(now);
  if (!lost.empty()) next_search_ = now + kSearchAgain;
  return lost;
}

void FrontendTies::follow_home(Time now, std::uint64_t log) {
  const LogHomes::Home* const home = homes_.find(log);
  if (!follow(now, *home)) return;
  timers_.no_later(WorkerTimer::renew, now);
  timers_.no_later(WorkerTimer::outbox, running_.outbox().next());
}

void FrontendTies::renew(Turn& turn, const Load& load, Duration away) const {
  // Grouped by job, in an order that is the same on every run.
  std::map<std::tuple<PeerId, std::uint32_t, std::uint64_t>, std::vector<const RunningTask*>>
      by_job;
  for (const RunningTask& running : running_.running()) {
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

void FrontendTies::answer(
    Turn& turn, const Endpoint& from, const AskAfter& asked, const Load& load) {
  Renew here{.job = asked.job,
      .incarnation = incarnation_.number,
      .tasks = {},
      .load = load,
      .since = incarnation_.since};
  Refused gone{.job = asked.job, .request = 0, .tasks = {}};
  for (const Attempt& each : asked.tasks) {
    const TaskId task{asked.job, each.index};
    if (const RunningTask* const running = running_.find(task, each.attempt)) {
      here.tasks.push_back(each);
      if (running->suspended) here.suspended.push_back(each.index);
    } else if (!running_.holds(task, each.attempt)) {
      gone.tasks.push_back(each);
    }
  }
  running_.outbox().hurry(turn.now, from.id);
  if (!here.tasks.empty()) turn.out.send(from, here);
  if (!gone.tasks.empty()) turn.out.send(from, gone);
}

void FrontendTies::send_reports(Turn& turn, const Load& load, std::uint32_t speed) {
  running_.outbox().send_due(
      turn, {.load = load, .speed = speed}, params_.resend, kReportKept, [&](PeerId frontend) {
        return leases_.silence(turn.now, frontend) > kSilentRenewals * params_.renew;
      });
}

bool FrontendTies::follow(Time now, const LogHomes::Home& home) {
  bool moved = false;
  for (RunningTask& running : running_.tracked()) {
    if (running.log.log != home.log.log) continue;
    if (running.log.epoch < home.log.epoch) {
      running.frontend = home.node;
      moved = true;
    }
    if (running.log.epoch <= home.log.epoch) running.log = home.log;
  }
  return running_.outbox().follow(now, home) || moved;
}

void FrontendTies::reassure(Time now, std::uint64_t log) {
  const auto silent = [&](const RunningTask& running) { return running.log.log == log; };
  const auto running = std::ranges::find_if(running_.running(), silent);
  if (running != running_.running().end()) leases_.excuse(now, running->frontend.id);
  running_.outbox().reassure(now, log);
}

std::vector<FindHome> FrontendTies::lost_homes(Time now) const {
  std::map<std::uint64_t, FindHome> lost;
  const auto note = [&](const JobId& job, const Endpoint& frontend, const TaskLog& log) {
    if (log.log != 0 && leases_.silence(now, frontend.id) > kLostRenewals * params_.renew) {
      lost.try_emplace(log.log, FindHome{.request = 0, .job = job, .log = log.log});
    }
  };
  for (const RunningTask& each : running_.running()) note(each.task.job, each.frontend, each.log);
  for (const Outbox::Item& each : running_.outbox().items())
    note(each.job, each.frontend, each.log);
  std::vector<FindHome> questions;
  questions.reserve(lost.size());
  for (const auto& [log, question] : lost) questions.push_back(question);
  return questions;
}

void FrontendTies::hear(const overlay::Descriptor& node) {
  if (!leases_.is_news(node.id, node.incarnation)) return;
  for (RunningTask& running : running_.tracked()) {
    if (running.frontend.id == node.id) running.frontend.address = node.address;
  }
  running_.outbox().redirect({node.id, node.address});
}

void FrontendTies::reap(Turn& turn, Queue& queue) {
  for (const FrontendLeases::Lease& lease : leases_.all()) {
    const Duration silence = turn.now - lease.heard;
    if (silence > kSilentConfirms * params_.queue_renew) queue.erase_of(lease.frontend);
    if (turn.now - std::max(lease.heard, lease.excused) <= params_.orphan_after) continue;
    running_.orphan(turn, lease.frontend);
  }
  leases_.keep_only([&](PeerId frontend) {
    const auto from_it = [&](const auto& item) { return item.frontend.id == frontend; };
    return std::ranges::any_of(running_.running(), from_it) ||
        std::ranges::any_of(queue.waiting(), from_it) ||
        std::ranges::any_of(running_.outbox().items(), from_it);
  });
}

}  // namespace dunlin::sched
