// SPDX-License-Identifier: MIT
#include "sched/frontend/bound_tasks.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "sched/usage/usage.h"

// A bound task ends by a report, or its lease ends without one. A lease can end although the task
// still runs: its worker may be cut off, and come back with it. So a loss is provisional. A worker
// that comes back with the last attempt lost keeps it, if no other was made since; any other
// attempt that it still runs is killed. Whichever report is the first to count is the one result,
// and an attempt that runs in vain after it is killed, too.
// A worker that restarts and keeps its tasks says so. Their leases are stretched, because it is
// silent meanwhile; the first word of its next incarnation makes them leases as all are. That
// incarnation confirms at once what it took back. So a task that it does not confirm soon was on
// its way when the earlier one ended, and has not started.
namespace dunlin::sched {
namespace {

/// The attempts to be stopped, by worker.
class Kills {
 public:
  /// `requeue`: they run again.
  explicit Kills(const JobId& job, bool requeue = false) : job_(job), requeue_(requeue) {}

  void add(std::uint32_t index, const Binding& binding) {
    if (binding.launching) return;  // Its worker is told when it is known.
    auto& [worker, kill] = by_worker_[binding.worker.id];
    worker = binding.worker;
    kill.job = job_;
    kill.requeue = requeue_;
    // Those beyond are told again with each confirmation of their lease.
    if (kill.tasks.size() < Kill::kTasksMax) kill.tasks.push_back({index, binding.attempt});
  }
  void send(Turn& turn) const {
    for (const auto& [id, kill] : by_worker_) turn.out.send(kill.first, kill.second);
  }

 private:
  JobId job_;
  bool requeue_;
  std::map<PeerId, std::pair<Endpoint, Kill>> by_worker_;
};

void put_wishes(
    Turn& turn, const JobState& job, Wished wished, const std::vector<Attempt>& attempts) {
  if (attempts.empty()) return;
  turn.store.put_wishes(job.id(), job.progress(), wished, attempts);
}

/// Stores a record of a task, after what it adds to the usage of the job's user.
void put_with_usage(Turn& turn, const JobState& job, const TaskRecord& record) {
  const std::int64_t wall = wall_after(job.job(), turn.now - job.accepted());
  if (const auto* const end = std::get_if<ReportRecord>(&record)) {
    const Resources& demand = job.spec_of(job.group_of(end->report.index)).demand;
    const UsageNote note =
        usage_of_end(job.job(), end->report, end->worker, end->final, demand, wall);
    if (note.attempt.attempt != 0) turn.store.put_usage(note);
  } else if (const auto* const loss = std::get_if<LossRecord>(&record)) {
    turn.store.put_usage(usage_of_loss(job.job(), loss->attempt, wall));
  }
  put(turn.store, job.id(), record);
}

void lose(Turn& turn, JobState& job, std::uint32_t index) {
  const Binding lost = job.bindings().at(index);
  turn.events.on(TaskLost{job.id(), index, lost.attempt, lost.worker.id});
  put_with_usage(turn, job, job.lose(index, turn.now));
}

/// Loses the tasks bound to a worker that `is_lost(binding)` is true of.
template <typename IsLost>
bool lose_if(Turn& turn, JobState& job, IsLost&& is_lost) {
  std::vector<std::uint32_t> lost;
  for (const auto& [index, binding] : job.bindings()) {
    if (!binding.launching && is_lost(binding)) lost.push_back(index);
  }
  for (const std::uint32_t index : lost) lose(turn, job, index);
  return !lost.empty();
}

}  // namespace

bool record(Turn& turn, JobState& job, PeerId worker, const Report& report, std::uint32_t speed) {
  const auto ending = job.end(report, worker, turn.now, speed == 0 ? kSpeedUsual : speed);
  if (!ending) return false;
  if (ending->replaced) {
    const auto& [other, attempt] = *ending->replaced;
    // One that is being launched is told when its worker is known.
    if (other.address != Address{}) {
      turn.out.send(other, Kill{.job = job.id(), .tasks = {attempt}});
    }
  }
  const Report& counted = ending->record.report;
  turn.events.on(TaskEnded{job.id(), report.index, report.attempt, counted.outcome, counted.status,
      ending->record.final});
  put_with_usage(turn, job, ending->record);
  return true;
}

void take_back(Turn& turn, JobState& job, const Endpoint& from, const Refused& refused) {
  // What a worker does not take at all, it refuses at once, by the number of its question.
  const bool unlent = refused.request == 0;
  for (const Attempt& task : refused.tasks) {
    const auto given_back = job.refuse(task, from.id, turn.now, unlent);
    if (given_back) put_with_usage(turn, job, *given_back);
  }
}

void renew(Turn& turn, JobState* job, const Endpoint& from, const Renew& renewed) {
  Kill kill{.job = renewed.job, .tasks = {}};
  Kill requeue{.job = renewed.job, .tasks = {}, .requeue = true};
  Holder holder{from, renewed.incarnation, renewed.away};
  for (const Attempt& running : renewed.tasks) {
    holder.suspended =
        std::ranges::find(renewed.suspended, running.index) != renewed.suspended.end();
    if (job != nullptr && job->confirm(running, holder, turn.now)) {
      // The word that it is to end may have been lost.
      if (job->bindings().at(running.index).requeued) requeue.tasks.push_back(running);
      continue;
    }
    if (job != nullptr && job->adopt(running, holder, turn.now)) {
      turn.events.on(TaskAdopted{job->id(), running.index, running.attempt, from.id});
      if (job->bindings().at(running.index).requeued) requeue.tasks.push_back(running);
      continue;
    }
    kill.tasks.push_back(running);
  }
  if (!kill.tasks.empty()) turn.out.send(from, kill);
  if (!requeue.tasks.empty()) turn.out.send(from, requeue);
  const auto priority = job == nullptr ? std::nullopt : job->progress().terms.priority;
  turn.out.send(from,
      RenewAck{.job = renewed.job,
          .has_priority = priority.has_value(),
          .priority = priority.value_or(0)});
}

void hear_outcome(
    Turn& turn, JobState* job, const JobId& id, const federation::LaunchOutcome& outcome) {
  using Fate = federation::LaunchOutcome::Fate;
  const bool waited_for = job != nullptr && job->is_launching(outcome.task);
  if (outcome.fate == Fate::placed) {
    // It may have said so itself before, or be one that is not wanted any more.
    const Holder holder{outcome.worker, outcome.incarnation};
    if (job != nullptr && job->confirm(outcome.task, holder, turn.now)) {
      if (!waited_for) return;
      turn.events.on(TaskBound{id, outcome.task.index, outcome.task.attempt, outcome.worker.id});
      return;
    }
    turn.out.send(outcome.worker, Kill{.job = id, .tasks = {outcome.task}});
  } else if (waited_for && outcome.fate == Fate::refused) {
    turn.events.on(LaunchRefused{id, outcome.task.index, outcome.task.attempt});
    const auto ended = job->decline(outcome.task, turn.now);
    if (ended) put_with_usage(turn, *job, *ended);
  } else if (waited_for) {
    lose(turn, *job, outcome.task.index);
  }
}

bool lose_expired(Turn& turn, JobState& job, Duration lease) {
  return lose_if(turn, job,
      [&](const Binding& binding) { return turn.now - binding.confirmed > lease + binding.away; });
}

bool lose_unstarted(
    Turn& turn, JobState& job, const WorkerIncarnations& workers, Duration patience) {
  return lose_if(turn, job, [&](const Binding& binding) {
    return workers.superseded(turn.now, binding.worker.id, binding.incarnation, patience);
  });
}

void lose_at(Turn& turn, JobState& job, PeerId worker) {
  lose_if(turn, job, [&](const Binding& binding) { return binding.worker.id == worker; });
}

void cancel(Turn& turn, JobState& job, std::span<const std::uint32_t> tasks) {
  Kills kills(job.id());
  std::vector<Attempt> wished;
  for (const std::uint32_t index : tasks) {
    if (job.task(index).state == TaskState::launched) {
      const Binding& binding = job.bindings().at(index);
      kills.add(index, binding);
      wished.push_back({index, binding.attempt});
    }
    if (const auto ended = job.cancel(index)) put_with_usage(turn, job, *ended);
  }
  // The end of such an attempt may be long in coming, and its user is told that it is cancelled.
  put_wishes(turn, job, Wished::cancel, wished);
  kills.send(turn);
}

std::uint32_t requeue(Turn& turn, JobState& job, std::span<const std::uint32_t> tasks) {
  Kills kills(job.id(), true);
  std::vector<Attempt> wished;
  for (const std::uint32_t index : tasks) {
    const Binding* const binding = job.requeue(index);
    if (binding == nullptr) continue;
    kills.add(index, *binding);
    wished.push_back({index, binding->attempt});
  }
  put_wishes(turn, job, Wished::requeue, wished);
  kills.send(turn);
  return static_cast<std::uint32_t>(wished.size());
}

void say_only(Turn& turn, const JobState& job, const std::vector<Attempt>& attempts) {
  if (job.runs_once()) put_wishes(turn, job, Wished::only, attempts);
}

bool lose_given(Turn& turn, JobState& job) {
  const std::vector<Attempt> given = job.given().all();
  for (const Attempt& attempt : given) {
    turn.events.on(TaskLost{job.id(), attempt.index, attempt.attempt, PeerId{}});
    put_with_usage(turn, job, job.lose_given(attempt));
  }
  return !given.empty();
}

void keep_wishes(Turn& turn, StoredJob& job) {
  for (StoredTask& task : job.tasks) {
    if (task.finished || task.to_cancel <= task.retried) continue;
    if (task.index >= job.job.task_count()) continue;
    const ReportRecord ended = killed({task.index, task.to_cancel}, PeerId{});
    put(turn.store, job.job.id, ended);
    task.finished = true;
    task.outcome = ended.report.outcome;
    task.status = ended.report.status;
  }
}

void settle_stages(Turn& turn, JobState& job) {
  // A group that ends so may be one that others wait for.
  for (auto news = job.take_stage_news(); !news.empty(); news = job.take_stage_news()) {
    for (const auto& [group, met] : news) {
      if (met) {
        turn.events.on(StageSettled{job.id(), job.spec_of(group).name, true});
        continue;
      }
      if (!job.stages().is_missed(group)) continue;  // Its user has that task run again.
      Kills kills(job.id());
      const std::uint32_t first = job.groups()[group].first;
      const std::uint32_t end = first + job.spec_of(group).count;
      for (auto at = job.bindings().lower_bound(first); at != job.bindings().end(); ++at) {
        if (at->first >= end) break;
        if (job.task(at->first).state == TaskState::launched) kills.add(at->first, at->second);
      }
      if (job.cancel_stage(group) == 0) continue;
      turn.events.on(StageSettled{job.id(), job.spec_of(group).name, false});
      kills.send(turn);
    }
  }
}

void cancel_all(Turn& turn, JobState& job, CancelledBy by) {
  Kills kills(job.id());
  for (const auto& [index, binding] : job.bindings()) {
    if (job.task(index).state == TaskState::launched) kills.add(index, binding);
  }
  turn.store.put_progress(job.id(), job.cancel_all(by));
  kills.send(turn);
}

}  // namespace dunlin::sched
