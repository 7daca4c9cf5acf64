// SPDX-License-Identifier: MIT
// Late binding and what becomes of the bound: answers, results, leases.
#include <algorithm>

#include "sched/frontend/frontend.h"

namespace dunlin::sched {
namespace {

/// The schema's bound on one answer.
constexpr std::size_t kTasksMax = 64;
/// An answer stays well below a stream frame.
constexpr std::size_t kEntryBytesMax = 256 * 1024;
/// Answers remembered per job, for workers that ask twice.
constexpr std::size_t kAnswersMax = 256;
constexpr Duration kAnswerKept = std::chrono::seconds(10);
/// Attempts that could not even start, forgiven although the user asked for no retries.
constexpr std::uint16_t kSpawnRetries = 3;

}  // namespace

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const GetTask& asked) {
  note_life(turn, around, from.id, asked.incarnation);
  JobState* job = find(asked.job);
  if (job == nullptr || job->finished_ || asked.group >= job->groups_.size()) {
    turn.out.send(from,
        Tasks{.job = asked.job,
            .group = asked.group,
            .probe = asked.probe,
            .request = asked.request,
            .served_to = asked.probe});
    return;
  }
  JobState::Group& group = job->groups_[asked.group];
  if (const auto* before = job->find_answer(from.id, asked.incarnation, asked.request)) {
    answer(turn, from, *job, asked, *before);
    return;
  }
  learn_walk(*job, asked.group, asked.walk);

  const TaskGroup& spec = job->spec_of(asked.group);
  JobState::Answer given{.worker = from.id,
      .incarnation = asked.incarnation,
      .request = asked.request,
      .at = turn.now};
  std::size_t bytes = 0;
  const std::size_t room = std::min<std::size_t>(asked.room, kTasksMax);
  while (given.tasks.size() < room && bytes < kEntryBytesMax && turn.now >= job->held_until_) {
    const auto index = job->pop_waiting(asked.group);
    if (!index) break;
    const std::uint16_t attempt = job->next_attempt(*index);
    job->move(*index, TaskState::launched);
    job->bindings_[*index] = {.attempt = attempt,
        .worker = from,
        .incarnation = asked.incarnation,
        .bound = turn.now,
        .confirmed = turn.now};
    given.tasks.push_back({*index, attempt});
    if (spec.entries.size() > 0) bytes += spec.entries[*index - group.first].size();
    turn.events.on(TaskBound{job->id(), *index, attempt, from.id});
  }
  answer(turn, from, *job, asked, given);

  // Its reservation lives on while there is more to ask for.
  Probe* probe = job->find_probe(asked.group, asked.probe);
  if (given.tasks.empty() || group.waiting == 0) {
    job->erase_probe(asked.group, asked.probe);
  } else if (probe != nullptr) {
    *probe = {.id = asked.probe,
        .queued = true,
        .holder = from,
        .sent = probe->sent,
        .expires = turn.now + params_.queue_lease};
  }
  if (!given.tasks.empty()) {
    group.pause = Duration{0};
    job->answers_.push_back(std::move(given));
  }
  while (!job->answers_.empty() &&
      (job->answers_.size() > kAnswersMax || turn.now - job->answers_.front().at > kAnswerKept)) {
    job->answers_.pop_front();
  }
  if (group.waiting == 0)
    withdraw(turn, *job, asked.group);
  else
    tell_remaining(turn, *job, asked.group);
  schedule(turn.now);
}

void Frontend::answer(Turn& turn,
    const Endpoint& to,
    JobState& job,
    const GetTask& asked,
    const JobState::Answer& given) {
  const TaskGroup& spec = job.spec_of(asked.group);
  const JobState::Group& group = job.groups_[asked.group];
  Tasks tasks{.job = asked.job,
      .group = asked.group,
      .probe = asked.probe,
      .request = asked.request,
      .time_limit = whole_milliseconds(spec.time_limit),
      .task_count = job.task_count(),
      .name = job.job().name,
      .remaining = given.tasks.empty() ? 0 : group.waiting,
      .task_time = told_time(job, asked.group),
      .work = job.work(params_.unknown_duration),
      .served_to = group.waiting == 0 ? job.probe_last_ : 0};
  for (const Attempt& task : given.tasks) {
    // Of an answer given before, what has ended since is not handed out again.
    const auto binding = job.bindings_.find(task.index);
    if (binding == job.bindings_.end() || binding->second.attempt != task.attempt) continue;
    if (job.tasks_[task.index].state != TaskState::launched) continue;
    Assignment assignment{.index = task.index, .attempt = task.attempt, .entry = {}};
    if (spec.entries.size() > 0) assignment.entry = spec.entries[task.index - group.first];
    tasks.tasks.push_back(std::move(assignment));
  }
  if (!tasks.tasks.empty()) tasks.spec = spec.spec;
  turn.out.send(to, tasks);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Refused& refused) {
  JobState* job = find(refused.job);
  if (job == nullptr) return;
  for (const Attempt& task : refused.tasks) {
    const auto binding = job->bindings_.find(task.index);
    if (binding == job->bindings_.end() || binding->second.attempt != task.attempt ||
        binding->second.worker.id != from.id) {
      continue;
    }
    job->bindings_.erase(binding);
    if (job->tasks_[task.index].state == TaskState::cancelling) {
      turn.store.put_report(job->id(),
          {.index = task.index, .attempt = task.attempt, .outcome = Outcome::killed}, from.id,
          true);
      job->move(task.index, TaskState::cancelled);
    } else {
      // It never started. A new number all the same: a late copy of the answer must not match.
      job->count_loss(task.index, task.attempt);
      turn.store.put_loss(job->id(), task, from.id);
      job->move(task.index, TaskState::waiting);
      job->requeue(task.index);
    }
  }
  settle(turn, *job);
  if (!job->finished_) probe(turn, around, *job);
  schedule(turn.now);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Done& done) {
  DoneAck ack{.job = done.job, .tasks = {}};
  for (const Report& report : done.reports) ack.tasks.push_back({report.index, report.attempt});
  if (JobState* job = find(done.job)) {
    for (const Report& report : done.reports) record(turn, *job, from, report);
    settle(turn, *job);
    if (!job->finished_) probe(turn, around, *job);
    schedule(turn.now);
  }
  turn.out.send(from, ack);  // After the records: they are durable before it leaves.
}

void Frontend::record(Turn& turn, JobState& job, const Endpoint& from, const Report& report) {
  if (report.index >= job.task_count()) return;
  JobState::Task& task = job.tasks_[report.index];
  if (is_final(task.state)) return;  // Heard before, or cancelled: one result is enough.

  const auto binding = job.bindings_.find(report.index);
  const bool bound = binding != job.bindings_.end();
  const bool current =
      bound && binding->second.attempt == report.attempt && binding->second.worker.id == from.id;
  // A restarted frontend hears of attempts that it does not remember binding.
  const bool remembered_by_worker =
      turn.now < job.held_until_ && job.may_adopt(report.index, report.attempt);
  const bool success = is_success(report);
  if (!current && !remembered_by_worker && !success) return;  // Its place has been taken.
  if (bound) {
    if (!current)
      kill(turn, binding->second.worker, job.id(), {report.index, binding->second.attempt});
    job.bindings_.erase(binding);
  }

  const bool cancelling = task.state == TaskState::cancelling;
  const bool stopped = report.outcome == Outcome::killed;
  const std::uint16_t retries = report.outcome == Outcome::spawn_failed
      ? std::max(kSpawnRetries, job.spec_of(job.group_of(report.index)).retries)
      : job.spec_of(job.group_of(report.index)).retries;
  const bool again = !success && !cancelling && (stopped || task.failures < retries);
  turn.events.on(
      TaskEnded{job.id(), report.index, report.attempt, report.outcome, report.status, !again});
  turn.store.put_report(job.id(), report, from.id, !again);
  // An attempt stopped unasked is nobody's failure: its worker left, or took us for dead.
  if (again) job.count_end(report.index, report.attempt, !stopped);
  const TaskState next = again ? TaskState::waiting
      : success                ? TaskState::succeeded
      : cancelling             ? TaskState::cancelled
                               : TaskState::failed;
  if (success) {
    JobState::Group& group = job.groups_[job.group_of(report.index)];
    ++group.succeeded;
    group.ran += static_cast<double>(sane_task_time(report.wall).count());
  }
  if (next != task.state) job.move(report.index, next);
  if (again) job.requeue(report.index);
}

void Frontend::lose(Turn& turn, JobState& job, std::uint32_t index) {
  const auto binding = job.bindings_.find(index);
  const Attempt lost{index, binding->second.attempt};
  const PeerId worker = binding->second.worker.id;
  job.bindings_.erase(binding);
  turn.events.on(TaskLost{job.id(), index, lost.attempt, worker});
  if (job.tasks_[index].state == TaskState::cancelling) {
    turn.store.put_report(job.id(),
        {.index = index, .attempt = lost.attempt, .outcome = Outcome::killed}, worker, true);
    job.move(index, TaskState::cancelled);
    return;
  }
  job.count_loss(index, lost.attempt);
  turn.store.put_loss(job.id(), lost, worker);
  job.move(index, TaskState::waiting);
  job.requeue(index);
}

void Frontend::kill(Turn& turn, const Endpoint& worker, const JobId& job, Attempt attempt) {
  turn.out.send(worker, Kill{.job = job, .tasks = {attempt}});
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Renew& renew) {
  note_life(turn, around, from.id, renew.incarnation);
  Kill kill{.job = renew.job, .tasks = {}};
  JobState* job = find(renew.job);
  for (const Attempt& running : renew.tasks) {
    if (job == nullptr || running.index >= job->task_count()) {
      kill.tasks.push_back(running);
      continue;
    }
    const TaskState state = job->tasks_[running.index].state;
    const auto binding = job->bindings_.find(running.index);
    if (binding != job->bindings_.end()) {
      const bool holder =
          binding->second.worker.id == from.id && binding->second.attempt == running.attempt;
      if (holder) binding->second.confirmed = turn.now;
      if (!holder || state == TaskState::cancelling) kill.tasks.push_back(running);
    } else if (job->may_adopt(running.index, running.attempt)) {
      // The last attempt still runs: we restarted, or its lease ended in a partition now healed.
      job->bindings_[running.index] = {.attempt = running.attempt,
          .worker = from,
          .incarnation = renew.incarnation,
          .bound = turn.now,
          .confirmed = turn.now};
      job->find_again(running.index, running.attempt);
      job->move(running.index, TaskState::launched);
      turn.events.on(TaskAdopted{job->id(), running.index, running.attempt, from.id});
    } else {
      kill.tasks.push_back(running);
    }
  }
  if (!kill.tasks.empty()) turn.out.send(from, kill);
  turn.out.send(from, RenewAck{renew.job});
  schedule(turn.now);
}

void Frontend::note_life(
    Turn& turn, const Surroundings& around, PeerId worker, std::uint32_t incarnation) {
  std::uint32_t& known = lives_[worker];
  if (incarnation <= known) return;
  const bool restarted = known != 0;
  known = incarnation;
  if (restarted) on_worker_gone(turn, around, worker);
}

void Frontend::on_worker_gone(Turn& turn, const Surroundings& around, PeerId worker) {
  const std::set<std::uint32_t> active = active_;  // settle() takes finished jobs out.
  for (const std::uint32_t number : active) {
    JobState& job = jobs_.at(number);
    std::vector<std::uint32_t> lost;
    for (const auto& [index, binding] : job.bindings_) {
      if (binding.worker.id == worker) lost.push_back(index);
    }
    for (const std::uint32_t index : lost) lose(turn, job, index);
    for (JobState::Group& group : job.groups_) {
      std::erase_if(group.probes, [&](const Probe& probe) { return probe.holder.id == worker; });
    }
    settle(turn, job);
    if (!job.finished_) probe(turn, around, job);
  }
  schedule(turn.now);
}

}  // namespace dunlin::sched
