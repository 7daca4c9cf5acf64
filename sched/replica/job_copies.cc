// SPDX-License-Identifier: MIT
#include "sched/replica/job_copies.h"

#include <algorithm>
#include <utility>

#include "sched/frontend/stages/stage_names.h"
#include "sched/inputs/input_bytes.h"
#include "sched/inputs/input_text.h"
#include "sched/replica/codec_record.h"
#include "sched/replica/end_fields.h"
#include "sched/replica/word_flags.h"
#include "sched/task.h"

// What is counted here is counted in the store of every driver: failures, losses, the last attempts
// of either kind. A standby and a frontend that restarts must come to the same numbers, or the next
// attempt of a task would get one that another attempt has.
namespace dunlin::sched::replica {
namespace {

/// No end of an attempt is thought to be later, in ns since 1970: two hundred years.
constexpr std::int64_t kEndMax = std::int64_t{200} * 365 * 24 * 3600 * 1'000'000'000;

/// What a task of a job demands. Requires that the job has it.
const Resources& demand_of(const Job& job, std::uint32_t index) {
  std::size_t group = 0;
  for (; index >= job.groups[group].count; ++group) index -= job.groups[group].count;
  return job.groups[group].demand;
}

}  // namespace

bool JobCopies::Copy::is_lost(std::uint32_t index, std::uint32_t attempt) const {
  const auto history = attempts.find(index);
  if (history == attempts.end()) return false;
  const auto ended = history->second.find(attempt);
  return ended != history->second.end() && !ended->second.report;
}

bool JobCopies::Copy::is_whole() const {
  return job.groups.size() == groups && (job.groups.empty() || has_last_group());
}

bool JobCopies::Copy::has_last_group() const {
  return job.groups.back().entries.size() == lines && input_bytes.size() == inputs;
}

bool JobCopies::apply(std::string_view records) {
  if (broken_) return false;
  auto read = decode_records(records);
  broken_ = !read;
  if (broken_) return false;
  for (Record& record : *read) {
    const auto* const bindings = std::get_if<PutBindings>(&record);
    if (bindings != nullptr && bindings->holder) {  // It has no part in a handover.
      note_holder(*bindings);
      continue;
    }
    const bool hands_over = bindings != nullptr || std::holds_alternative<HandOver>(record);
    // What the home did after it did not hand over.
    if (!hands_over || handed_over_) handed_.clear();
    handed_over_ = false;
    broken_ = !std::visit([this](auto& put) { return act(put); }, record);
    if (broken_) return false;
  }
  return true;
}

JobCopies::Copy* JobCopies::find(const JobId& job) {
  const auto at = jobs_.find(key_of(job));
  return at == jobs_.end() ? nullptr : &at->second;
}

JobCopies::Copy* JobCopies::find_task(const JobId& job, std::uint32_t index) {
  Copy* const copy = find(job);
  return copy != nullptr && copy->is_whole() && index < copy->tasks ? copy : nullptr;
}

bool JobCopies::act(const PutJob& put) {
  const auto [at, is_new] = jobs_.try_emplace(key_of(put.job));
  if (!is_new || put.groups == 0 || put.groups > kJobGroupsMax) return false;
  at->second.groups = put.groups;
  Job& job = at->second.job;
  job.id = put.job;
  job.name = put.name;
  job.submitted_at = put.submitted_at;
  job.owner = put.owner;
  job.service_class = put.service_class;
  job.deadline = put.deadline;
  job.past_deadline = put.cancelled_late ? PastDeadline::cancel : PastDeadline::run;
  job.key = {put.key_high, put.key_low};
  job.held = put.held;
  job.replicas = put.replicas;
  job.replicas_required = put.replicas_required;
  for (const PutAfter& after : put.after_jobs) {
    job.after_jobs.push_back({.job = after.job,
        .any = after.any,
        .has_replicas = after.has_replicas,
        .address = after.address,
        .failed = after.failed});
    if (after.begun_for > 0) job.after_jobs.back().begun_for = Duration{after.begun_for - 1};
  }
  job.end_command = put.end_command;
  job.comment = put.comment;
  job.labels = put.labels;
  job.begin = put.begin;
  job.rerun = put.rerun_never ? Rerun::never : Rerun::always;
  job.on_preempt = on_preempt_of(put);
  told_at_ = std::max(told_at_, job.submitted_at);
  note_usage(usage_of_submit(job), false);
  return true;
}

bool JobCopies::act(PutGroup& put) {
  Copy* const copy = find(put.job);
  if (copy == nullptr || copy->is_whole() || copy->job.groups.size() == copy->groups) return false;
  // The lines of the group before must all be there.
  const bool complete = copy->job.groups.empty() || copy->has_last_group();
  const bool sound = put.count > 0 && (put.lines == 0 || put.lines == put.count) &&
      put.count <= kJobTasksMax - copy->tasks && put.duration == sane_task_time(put.duration) &&
      put.time_limit >= Duration{0};
  if (!complete || !sound) return false;
  copy->tasks += put.count;
  copy->lines = put.lines;
  copy->inputs = put.inputs;
  copy->input_bytes.clear();
  copy->job.groups.push_back({.name = std::move(put.name),
      .count = put.count,
      .demand = std::move(put.demand),
      .cpu_unsaid = put.cpu_unsaid,
      .memory_unsaid = put.memory_unsaid,
      .constraints = std::move(put.constraints),
      .priority = put.priority,
      .retries = put.retries,
      .at_once = put.at_once,
      .gang = put.gang,
      .after = {put.after.begin(), put.after.end()},
      .once = put.once,
      .time_limit = put.time_limit,
      .duration = put.duration,
      .spec = std::move(put.spec),
      .entries = {}});
  return copy->job.groups.size() < copy->groups || has_sound_stages(copy->job.groups);
}

bool JobCopies::act(const PutInputs& put) {
  Copy* const copy = find(put.job);
  if (copy == nullptr || copy->job.groups.empty()) return false;
  if (put.bytes.size() > copy->inputs - copy->input_bytes.size()) return false;
  copy->input_bytes += put.bytes;
  if (copy->input_bytes.size() < copy->inputs) return true;
  auto inputs = inputs_of_bytes(copy->input_bytes);
  if (!inputs) return false;
  TaskGroup& group = copy->job.groups.back();
  group.inputs = std::move(*inputs);
  return has_sound_inputs(group);
}

bool JobCopies::act(const PutLines& put) {
  Copy* const copy = find(put.job);
  if (copy == nullptr || copy->job.groups.empty()) return false;
  Lines& lines = copy->job.groups.back().entries;
  if (put.sizes.size() > copy->lines - lines.size()) return false;
  std::size_t at = 0;
  for (const std::uint32_t size : put.sizes) {
    if (size > put.text.size() - at) return false;
    lines.push_back(std::string_view(put.text).substr(at, size));
    at += size;
  }
  return at == put.text.size();
}

bool JobCopies::act(const PutProgress& put) {
  Copy* const copy = find(put.job);
  if (copy == nullptr || !copy->is_whole()) return false;
  copy->progress = {.restarts = put.restarts,
      .cancelled = put.cancelled,
      .cancelled_by = cancelled_by_of(put),
      .held = put.held,
      .terms = {}};
  if (put.new_priority) copy->progress.terms.priority = put.priority;
  if (put.new_deadline) copy->progress.terms.deadline = put.deadline;
  copy->progress.after_met = put.after_met;
  copy->progress.after_missed = put.after_missed;
  if (put.end_run > static_cast<std::uint8_t>(EndRun::ended)) return false;
  copy->progress.end_command = {.run = static_cast<EndRun>(put.end_run),
      .outcome = put.end_outcome,
      .status = put.end_status,
      .detail = put.end_detail};
  copy->progress.ended = end_of(put);
  for (const Attempt& wish : put.to_cancel) copy->to_cancel[wish.index] = wish.attempt;
  for (const Attempt& wish : put.to_requeue) copy->to_requeue[wish.index] = wish.attempt;
  for (const Attempt& wish : put.only) copy->only[wish.index] = wish.attempt;
  const auto sound = [&](const auto& wishes) {
    return wishes.empty() || wishes.rbegin()->first < copy->tasks;
  };
  return sound(copy->to_cancel) && sound(copy->to_requeue) && sound(copy->only);
}

bool JobCopies::act(const PutReport& put) {
  Copy* const copy = find_task(put.job, put.report.index);
  if (copy == nullptr) return false;
  const Report& report = put.report;
  const bool says_when = report.started_at > 0;
  const std::int64_t at = says_when ? ended_at(copy->job, report, kEndMax) : told_at_;
  told_at_ = std::max(told_at_, at);
  note_usage(usage_of_end(
                 copy->job, report, put.worker, put.final, demand_of(copy->job, report.index), at),
      copy->is_lost(report.index, report.attempt));
  if (put.final) return copy->results.try_emplace(report.index, Final{report, put.worker}).second;
  // It takes the place of a loss.
  copy->attempts[report.index][report.attempt] = {report, put.worker};
  return true;
}

bool JobCopies::act(const PutLoss& put) {
  Copy* const copy = find_task(put.job, put.lost.index);
  if (copy == nullptr) return false;
  note_usage(usage_of_loss(copy->job, put.lost, told_at_),
      copy->is_lost(put.lost.index, put.lost.attempt));
  copy->attempts[put.lost.index][put.lost.attempt] = {std::nullopt, put.worker};
  return true;
}

void JobCopies::note_usage(UsageNote note, bool was_lost) {
  if (settle(note, was_lost)) usage_.add(note.row);
}

// The result becomes the record of an attempt, as in the store of a driver.
bool JobCopies::act(const PutRetry& put) {
  const std::uint32_t index = put.last.index;
  Copy* const copy = find_task(put.job, index);
  if (copy == nullptr) return false;
  const auto result = copy->results.find(index);
  if (result == copy->results.end()) return false;
  const auto [report, worker] = result->second;
  copy->attempts[index][report.attempt] = {report, worker};
  copy->results.erase(result);
  copy->retried[index] = {.last = put.last.attempt, .result = report.attempt};
  return true;
}

bool JobCopies::act(const ForgetJob& forget) {
  const auto found = jobs_.find(key_of(forget.job));
  if (found == jobs_.end()) return false;
  const Job& job = found->second.job;
  if (!job.key.empty()) {
    forgotten_.push_back({job.key, job.id, job.owner, job.name, found->second.tasks});
  }
  jobs_.erase(found);
  return true;
}

void JobCopies::note_holder(const PutBindings& put) {
  if (put.holds_none) {
    holders_.erase(put.holder);
  } else {
    holders_[put.holder] = {{put.holder, put.address}, put.away};
  }
}

bool JobCopies::act(const PutBindings& put) {
  for (const BoundTask& task : put.tasks) {
    if (find_task(put.job, task.task.index) == nullptr) return false;
    handed_.push_back({.job = put.job,
        .running = task.task,
        .holder = {{task.worker, task.address}, task.incarnation, task.away}});
  }
  return true;
}

bool JobCopies::act(const HandOver& hand_over) {
  handed_over_ = hand_over.on;
  if (!hand_over.on) handed_.clear();
  return true;
}

// What the log says of the tasks of a pruned job stays in it, for builds that do not know of that.
StoredJob JobCopies::stored(const Copy& copy) {
  if (copy.is_pruned()) {
    return {.job = copy.job, .submitted = {}, .progress = copy.progress, .tasks = {}};
  }
  std::map<std::uint32_t, StoredTask> tasks;
  for (const auto& [index, history] : copy.attempts) {
    StoredTask& task = tasks[index];
    const auto retried = copy.retried.find(index);
    if (retried != copy.retried.end()) {
      const AttemptNumber last = retried->second.last;
      task.retried = task.ended = last;
      task.losses = number_of(last);
    }
    for (const auto& [attempt, ended] : history) {
      if (attempt <= task.retried) continue;
      const auto number = static_cast<decltype(task.ended)>(attempt);
      ++(ended.report && is_own_failure(*ended.report) ? task.failures : task.losses);
      if (ended.report && ended.report->outcome == Outcome::preempted) ++task.preemptions;
      (ended.report ? task.ended : task.lost) = number;  // The last one stays.
      const bool unstarted = ended.report && ended.report->outcome == Outcome::spawn_failed;
      if (unstarted) task.avoided.push_back(ended.worker);
    }
  }
  for (const auto& [index, result] : copy.results) {
    StoredTask& task = tasks[index];
    task.finished = true;
    task.outcome = result.report.outcome;
    task.status = result.report.status;
    task.wall = result.report.wall;
    task.started_at = result.report.started_at;
  }
  for (const auto& [index, attempt] : copy.to_cancel) tasks[index].to_cancel = attempt;
  for (const auto& [index, attempt] : copy.to_requeue) tasks[index].to_requeue = attempt;
  for (const auto& [index, attempt] : copy.only) tasks[index].only = attempt;
  StoredJob stored{.job = copy.job, .submitted = {}, .progress = copy.progress, .tasks = {}};
  for (auto& [index, task] : tasks) {
    task.index = index;
    stored.tasks.push_back(std::move(task));
  }
  return stored;
}

std::vector<StoredHolder> JobCopies::holders() const {
  std::vector<StoredHolder> found;
  for (const auto& [id, holder] : holders_) found.push_back(holder);
  return found;
}

std::vector<StoredJob> JobCopies::jobs() const {
  std::vector<StoredJob> found;
  for (const auto& [key, copy] : jobs_) {
    if (copy.is_whole()) found.push_back(stored(copy));
  }
  return found;
}

}  // namespace dunlin::sched::replica
