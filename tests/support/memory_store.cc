// SPDX-License-Identifier: MIT
#include "tests/support/memory_store.h"

#include <chrono>
#include <utility>

#include "sched/task.h"

namespace dunlin::test {
namespace {

std::string name(const sched::JobId& job) {
  return std::to_string(job.home.value) + "/" + std::to_string(job.number);
}

}  // namespace

void MemoryStore::commit(const Batch& batch) {
  for (const Record& record : batch) {
    std::visit([this](const auto& put) { apply(put); }, record);
  }
}

void MemoryStore::apply(const PutJob& put) {
  const auto [at, fresh] = jobs_.try_emplace(key_of(put.job.id), Kept{.job = put.job});
  if (!fresh) violate("job " + name(put.job.id) + " put twice");
}

void MemoryStore::apply(const PutProgress& put) {
  if (Kept* job = kept(put.job, "progress")) job->progress = put.progress;
}

void MemoryStore::apply(const PutReport& put) {
  Kept* job = kept(put.job, "report");
  if (job == nullptr) return;
  check(*job, put.report.index, put.report.attempt, "reported");
  if (put.final && put.report.outcome == sched::Outcome::preempted) {
    violate("a task ends as preempted");
  }
  if (put.final)
    job->results.emplace(put.report.index, Result{put.report, put.worker});
  else
    job->attempts[put.report.index][put.report.attempt] = {put.report, put.worker};
}

void MemoryStore::apply(const PutLoss& put) {
  Kept* job = kept(put.job, "loss");
  if (job == nullptr) return;
  check(*job, put.lost.index, put.lost.attempt, "lost");
  job->attempts[put.lost.index][put.lost.attempt] = {std::nullopt, put.worker};
}

void MemoryStore::apply(const PutRetry& put) {
  Kept* job = kept(put.job, "retry");
  if (job == nullptr) return;
  const auto result = job->results.find(put.last.index);
  if (result == job->results.end()) return violate("a task is retried that has no result");
  job->attempts[put.last.index][result->second.report.attempt] = {
      result->second.report, result->second.worker};
  if (result->second.worker) {
    ++job->run_again;
  } else if (is_lost(*job, put.last.index, result->second.report.attempt)) {
    ++job->lost_before;
  }
  job->results.erase(result);
  job->retried[put.last.index] = put.last.attempt;
}

void MemoryStore::apply(const PutWishes& put) {
  Kept* job = kept(put.job, "wish");
  if (job == nullptr) return;
  auto& wishes = job->wishes[put.wished];
  for (const sched::Attempt& attempt : put.attempts) wishes[attempt.index] = attempt.attempt;
}

void MemoryStore::check(
    const Kept& job, std::uint32_t index, std::uint32_t attempt, const char* what) {
  const std::string name = "task " + test::name(job.job.id) + ":" + std::to_string(index);
  const std::string again = " is " + std::string(what) + " after ";
  if (index >= job.job.task_count()) violate(name + " does not exist");
  if (job.results.contains(index)) violate(name + again + "its one result");
  const auto task = job.attempts.find(index);
  if (task == job.attempts.end()) return;
  const auto before = task->second.find(attempt);
  if (before == task->second.end() || !before->second.report) return;
  violate("attempt " + std::to_string(attempt) + " of " + name + again + "it was reported");
}

bool MemoryStore::is_lost(const Kept& job, std::uint32_t index, std::uint32_t attempt) {
  const auto task = job.attempts.find(index);
  if (task == job.attempts.end()) return false;
  const auto before = task->second.find(attempt);
  return before != task->second.end() && !before->second.report;
}

void MemoryStore::apply(const sched::UsageNote& put) {
  const auto job = jobs_.find(key_of(put.job));
  const bool was_lost =
      job != jobs_.end() && is_lost(job->second, put.attempt.index, put.attempt.attempt);
  sched::UsageNote note = put;
  if (!sched::settle(note, was_lost)) return;
  Usage& usage = usage_[note.log];
  usage.epoch = note.epoch;
  usage.table.add(note.row);
}

// An attempt is what its last record says, not the sum of all that was said: the other way round
// than the sums that are put here.
sched::UsageSums MemoryStore::used(const Kept& job) {
  sched::UsageSums all{.jobs = 1, .tasks = job.run_again, .lost = job.lost_before};
  const auto count = [&](const sched::Report& report) {
    if (sched::is_own_failure(report)) ++all.failed;
    if (report.outcome == sched::Outcome::preempted) ++all.preempted;
    if (sched::is_node_fault(report) || report.outcome == sched::Outcome::lost) ++all.lost;
    all.cpu_used += std::chrono::duration_cast<std::chrono::microseconds>(report.cpu).count();
  };
  for (const auto& [index, result] : job.results) {
    if (!result.worker) continue;  // It was cancelled before an attempt.
    ++all.tasks;
    count(result.report);
  }
  for (const auto& [index, history] : job.attempts) {
    const auto result = job.results.find(index);
    for (const auto& [attempt, ended] : history) {
      const bool found_again = result != job.results.end() && result->second.worker &&
          result->second.report.attempt == attempt;
      if (ended.report && ended.worker) count(*ended.report);
      if (!ended.report && !found_again) ++all.lost;
    }
  }
  return all;
}

sched::UsageSums MemoryStore::used(const sched::JobId& job) const {
  const auto at = jobs_.find(key_of(job));
  return at == jobs_.end() ? sched::UsageSums{} : used(at->second);
}

sched::UsageSums MemoryStore::used_without_replicas() const {
  sched::UsageSums all = gone_;
  for (const auto& [key, job] : jobs_) {
    if (job.job.replicas == 0) sched::add(all, used(job));
  }
  return all;
}

void MemoryStore::apply(const ForgetJob& forget) {
  const auto job = jobs_.find(key_of(forget.job));
  if (job != jobs_.end() && job->second.job.replicas == 0) sched::add(gone_, used(job->second));
  jobs_.erase(key_of(forget.job));
}

std::vector<sched::StoredJob> MemoryStore::load() const {
  std::vector<sched::StoredJob> found;
  for (const auto& [number, job] : jobs_) {
    if (job.progress.ended && job.progress.ended->pruned) {
      found.push_back({.job = job.job, .submitted = {}, .progress = job.progress, .tasks = {}});
      continue;
    }
    std::map<std::uint32_t, sched::StoredTask> tasks;
    for (const auto& [index, history] : job.attempts) {
      sched::StoredTask& task = tasks[index];
      const auto retried = job.retried.find(index);
      if (retried != job.retried.end()) {
        task.retried = task.ended = retried->second;
        task.losses = sched::number_of(retried->second);
      }
      for (const auto& [attempt, ended] : history) {
        if (attempt <= task.retried) continue;
        const auto& [report, worker] = ended;
        ++(report && sched::is_own_failure(*report) ? task.failures : task.losses);
        if (report && report->outcome == sched::Outcome::preempted) ++task.preemptions;
        (report ? task.ended : task.lost) = attempt;  // The last one stays.
        const bool unstarted = report && report->outcome == sched::Outcome::spawn_failed;
        if (unstarted) task.avoided.push_back(worker);
      }
    }
    for (const auto& [index, result] : job.results) {
      tasks[index].finished = true;
      tasks[index].outcome = result.report.outcome;
      tasks[index].status = result.report.status;
      tasks[index].wall = result.report.wall;
      tasks[index].started_at = result.report.started_at;
    }
    for (const auto& [wished, attempts] : job.wishes) {
      for (const auto& [index, attempt] : attempts) {
        sched::attempt_of(tasks[index], wished) = attempt;
      }
    }
    sched::StoredJob& stored = found.emplace_back();
    stored.job = job.job;
    stored.progress = job.progress;
    for (auto& [index, task] : tasks) {
      task.index = index;
      stored.tasks.push_back(task);
    }
  }
  return found;
}

std::vector<sched::StoredHolder> MemoryStore::holders() const {
  std::vector<sched::StoredHolder> found;
  for (const auto& [id, holder] : holders_) found.push_back(holder);
  return found;
}

const sched::Job* MemoryStore::job(const sched::JobId& job) const {
  const auto at = jobs_.find(key_of(job));
  return at == jobs_.end() ? nullptr : &at->second.job;
}

std::uint32_t MemoryStore::finals(const sched::JobId& job) const {
  const auto at = jobs_.find(key_of(job));
  return at == jobs_.end() ? 0 : static_cast<std::uint32_t>(at->second.results.size());
}

const sched::Report* MemoryStore::result(const sched::JobId& job, std::uint32_t index) const {
  const auto at = jobs_.find(key_of(job));
  if (at == jobs_.end()) return nullptr;
  const auto result = at->second.results.find(index);
  return result == at->second.results.end() ? nullptr : &result->second.report;
}

std::uint32_t MemoryStore::attempts_forgiven(const sched::JobId& job) const {
  const auto at = jobs_.find(key_of(job));
  if (at == jobs_.end()) return 0;
  std::uint32_t count = 0;
  for (const auto& [index, history] : at->second.attempts) {
    count += static_cast<std::uint32_t>(history.size());
  }
  return count;
}

MemoryStore::Kept* MemoryStore::kept(const sched::JobId& job, const char* record) {
  const auto at = jobs_.find(key_of(job));
  if (at != jobs_.end()) return &at->second;
  violate(std::string(record) + " of job " + name(job) + ", which is not stored");
  return nullptr;
}

void MemoryStore::violate(std::string what) {
  if (violation_.empty()) violation_ = std::move(what);
}

}  // namespace dunlin::test
