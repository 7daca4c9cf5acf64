// SPDX-License-Identifier: MIT
#include "tests/support/memory_store.h"

#include <utility>

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
  const auto [at, fresh] = jobs_.try_emplace(put.job.id.number, Kept{.job = put.job});
  if (!fresh) violate("job " + name(put.job.id) + " put twice");
}

void MemoryStore::apply(const PutProgress& put) {
  if (Kept* job = kept(put.job, "progress")) job->progress = put.progress;
}

void MemoryStore::apply(const PutReport& put) {
  Kept* job = kept(put.job, "report");
  if (job == nullptr) return;
  sched::StoredTask& stored = task(*job, put.report.index);
  const std::string what = "task " + name(put.job) + ":" + std::to_string(put.report.index);
  if (put.report.index >= job->job.task_count()) violate(what + " does not exist");
  if (stored.finished) violate(what + " has a report after its one result");
  if (!put.final) {
    ++stored.failures;
    return;
  }
  stored.finished = true;
  stored.outcome = put.report.outcome;
  stored.status = put.report.status;
  job->results.emplace(put.report.index, put.report);
}

void MemoryStore::apply(const PutLoss& put) {
  Kept* job = kept(put.job, "loss");
  if (job == nullptr) return;
  sched::StoredTask& stored = task(*job, put.lost.index);
  if (stored.finished) {
    violate("task " + name(put.job) + ":" + std::to_string(put.lost.index) +
        " is lost after its one result");
  }
  ++stored.losses;
}

void MemoryStore::apply(const ForgetJob& forget) {
  jobs_.erase(forget.job.number);
}

std::vector<sched::StoredJob> MemoryStore::load() const {
  std::vector<sched::StoredJob> found;
  for (const auto& [number, job] : jobs_) {
    sched::StoredJob& stored = found.emplace_back();
    stored.job = job.job;
    stored.progress = job.progress;
    for (const auto& [index, task] : job.tasks) stored.tasks.push_back(task);
  }
  return found;
}

std::uint32_t MemoryStore::finals(const sched::JobId& job) const {
  const auto at = jobs_.find(job.number);
  return at == jobs_.end() ? 0 : static_cast<std::uint32_t>(at->second.results.size());
}

const sched::Report* MemoryStore::result(const sched::JobId& job, std::uint32_t index) const {
  const auto at = jobs_.find(job.number);
  if (at == jobs_.end()) return nullptr;
  const auto result = at->second.results.find(index);
  return result == at->second.results.end() ? nullptr : &result->second;
}

std::uint32_t MemoryStore::attempts_forgiven(const sched::JobId& job) const {
  const auto at = jobs_.find(job.number);
  if (at == jobs_.end()) return 0;
  std::uint32_t count = 0;
  for (const auto& [index, task] : at->second.tasks) {
    count += std::uint32_t{task.failures} + task.losses;
  }
  return count;
}

MemoryStore::Kept* MemoryStore::kept(const sched::JobId& job, const char* record) {
  const auto at = jobs_.find(job.number);
  if (at != jobs_.end()) return &at->second;
  violate(std::string(record) + " of job " + name(job) + ", which is not stored");
  return nullptr;
}

sched::StoredTask& MemoryStore::task(Kept& job, std::uint32_t index) {
  sched::StoredTask& task = job.tasks[index];
  task.index = index;
  return task;
}

void MemoryStore::violate(std::string what) {
  if (violation_.empty()) violation_ = std::move(what);
}

}  // namespace dunlin::test
