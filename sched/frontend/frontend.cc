// SPDX-License-Identifier: MIT
// Jobs come and go: submit, restore, cancel, history, timers. Probing is in frontend_probes.cc,
// answers and results in frontend_results.cc.
#include "sched/frontend/frontend.h"

#include <algorithm>
#include <map>

namespace dunlin::sched {
namespace {

constexpr std::size_t kAttemptsMax = 128;  // In one Kill: the schema's bound.
/// Leases are looked at so many times per lease.
constexpr int kLooksPerLease = 4;
constexpr Duration kHistoryPeriod = std::chrono::seconds(10);
/// Finished jobs forgotten at a time: history fades a little at a time, never in a burst.
constexpr int kForgottenAtOnce = 16;
/// No job is thought to be older: a wall clock that was wrong must not make ages overflow.
constexpr Duration kAgeMax = std::chrono::hours(24 * 365 * 100);

/// When a restored job was submitted. Never in the future, where a wall clock that was set back
/// would put it: ages are not negative.
Time submitted_at(const StoredJob& stored, Time now) {
  return std::clamp(stored.submitted.value_or(now), now - kAgeMax, now);
}

}  // namespace

Frontend::Frontend(const FrontendParams& params, const Endpoint& self)
    : params_(params),
      self_(self),
      node_cache_(params.node_cache) {}

JobId Frontend::next_job() {
  return {.home = self_.id, .number = ++job_last_};
}

const JobState* Frontend::find(const JobId& job) const {
  if (job.home != self_.id) return nullptr;
  const auto it = jobs_.find(job.number);
  return it == jobs_.end() ? nullptr : &it->second;
}

JobState* Frontend::find(const JobId& job) {
  const auto it = job.home == self_.id ? jobs_.find(job.number) : jobs_.end();
  return it == jobs_.end() ? nullptr : &it->second;
}

void Frontend::submit(Turn& turn, const Surroundings& around, Job job) {
  const std::uint32_t number = job.id.number;
  ensure(job.id.home == self_.id && !jobs_.contains(number), "a job id of our own, and new");
  turn.store.put_job(job);
  turn.events.on(JobAccepted{job.id, job.task_count()});
  JobState& state = jobs_.emplace(number, JobState(std::move(job), turn.now)).first->second;
  active_.insert(number);
  probe(turn, around, state);
  settle(turn, state);
  schedule(turn.now);
}

void Frontend::restore(Turn& turn, std::vector<StoredJob> jobs) {
  for (StoredJob& stored : jobs) {
    const std::uint32_t number = stored.job.id.number;
    job_last_ = std::max(job_last_, number);
    const Time submitted = submitted_at(stored, turn.now);
    JobState& job = jobs_.emplace(number, JobState(std::move(stored.job), submitted)).first->second;
    job.progress_ = stored.progress;
    for (const StoredTask& task : stored.tasks) {
      if (task.index < job.task_count()) job.restore(task);
    }
    if (job.progress_.cancelled) {
      // Those that still run somewhere are stopped when their workers report them.
      for (std::uint32_t i = 0; i < job.task_count(); ++i) {
        if (!is_final(job.tasks_[i].state)) job.move(i, TaskState::cancelled);
      }
    }
    if (job.all_final()) {
      job.finish(turn.now);
      continue;
    }
    active_.insert(number);
    ++job.progress_.restarts;
    job.held_until_ = turn.now + params_.recovery_wait;
    turn.store.put_progress(job.id(), job.progress_);
  }
  schedule(turn.now);
}

Result<void> Frontend::cancel(Turn& turn, const JobId& id, std::span<const std::uint32_t> tasks) {
  JobState* job = find(id);
  if (job == nullptr) {
    return failure(ErrorKind::not_found, "no job " + std::to_string(id.number) + " here");
  }
  std::map<PeerId, std::pair<Endpoint, Kill>> kills;
  const auto end = [&](std::uint32_t index, bool all) {
    if (job->tasks_[index].state == TaskState::waiting) {
      job->move(index, TaskState::cancelled);
      if (all) return;  // The job's own record says it.
      turn.store.put_report(id,
          {.index = index, .attempt = job->next_attempt(index), .outcome = Outcome::killed},
          PeerId{}, true);
    } else if (job->tasks_[index].state == TaskState::launched) {
      job->move(index, TaskState::cancelling);
      const Binding& binding = job->bindings_.at(index);
      auto& [worker, kill] = kills[binding.worker.id];
      worker = binding.worker;
      kill.job = id;
      if (kill.tasks.size() < kAttemptsMax) kill.tasks.push_back({index, binding.attempt});
      // Those beyond are told again with each confirmation of their lease.
    }
  };
  if (tasks.empty()) {
    job->progress_.cancelled = true;
    turn.store.put_progress(id, job->progress_);
    for (std::uint32_t i = 0; i < job->task_count(); ++i) end(i, true);
  } else {
    for (const std::uint32_t index : tasks) {
      if (index >= job->task_count()) {
        return failure(ErrorKind::not_found,
            "job " + std::to_string(id.number) + " has tasks 0 to " +
                std::to_string(job->task_count() - 1));
      }
    }
    for (const std::uint32_t index : tasks) end(index, false);
  }
  for (const auto& [peer, kill] : kills) turn.out.send(kill.first, kill.second);
  for (std::uint16_t group = 0; group < job->groups_.size(); ++group) {
    if (job->groups_[group].waiting == 0) withdraw(turn, *job, group);
  }
  settle(turn, *job);
  schedule(turn.now);
  return {};
}

void Frontend::settle(Turn& turn, JobState& job) {
  if (job.finished_ || !job.all_final()) return;
  for (std::uint16_t group = 0; group < job.groups_.size(); ++group) withdraw(turn, job, group);
  job.finish(turn.now);
  active_.erase(job.id().number);
  turn.events.on(JobFinished{job.id(), job.counts_[TaskState::succeeded],
      job.counts_[TaskState::failed], job.counts_[TaskState::cancelled]});
}

void Frontend::wake(Turn& turn, const Surroundings& around) {
  if (deadlines_.take(Timer::leases, turn.now)) expire_leases(turn);
  if (deadlines_.take(Timer::probes, turn.now)) {
    for (const std::uint32_t number : active_) probe(turn, around, jobs_.at(number));
  }
  if (deadlines_.take(Timer::history, turn.now)) forget_history(turn);
  schedule(turn.now);
}

void Frontend::expire_leases(Turn& turn) {
  const std::set<std::uint32_t> active = active_;  // settle() takes finished jobs out.
  for (const std::uint32_t number : active) {
    JobState& job = jobs_.at(number);
    std::vector<std::uint32_t> lost;
    for (const auto& [index, binding] : job.bindings_) {
      if (turn.now - binding.confirmed > params_.task_lease) lost.push_back(index);
    }
    for (const std::uint32_t index : lost) lose(turn, job, index);
    if (!lost.empty()) settle(turn, job);
  }
}

void Frontend::forget_history(Turn& turn) {
  if (jobs_.empty()) return;
  std::size_t finished = jobs_.size() - active_.size();
  int budget = kForgottenAtOnce;
  // The newest stays: after a restart its number must not be given again, or reports of the old job
  // that are still under way would be taken for results of a new one.
  for (auto it = jobs_.begin(); std::next(it) != jobs_.end() && budget > 0;) {
    const JobState& job = it->second;
    const bool old = job.finished_ && turn.now - *job.finished_ > params_.history_age;
    if (old || (job.finished_ && finished > params_.history_max)) {
      turn.store.forget_job(job.id());
      it = jobs_.erase(it);
      --finished;
      --budget;
    } else {
      ++it;
    }
  }
}

void Frontend::schedule(Time now) {
  bool bound = false;
  bool waiting = false;
  for (const std::uint32_t number : active_) {
    const JobState& job = jobs_.at(number);
    bound = bound || !job.bindings_.empty();
    waiting = waiting || job.counts_[TaskState::waiting] > 0;
    if (bound && waiting) break;
  }
  const auto keep = [&](Timer timer, bool needed, Duration period) {
    if (!needed) deadlines_.clear(timer);
    if (needed) deadlines_.no_later(timer, now + period);
  };
  keep(Timer::leases, bound, params_.task_lease / kLooksPerLease);
  keep(Timer::probes, waiting, params_.reprobe_period);
  keep(Timer::history, jobs_.size() > active_.size(), kHistoryPeriod);
}

}  // namespace dunlin::sched
