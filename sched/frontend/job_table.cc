// SPDX-License-Identifier: MIT
#include "sched/frontend/job_table.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dunlin::sched {

JobState& JobTable::add(JobState job, Time ended_min) {
  const std::uint32_t number = job.id().number;
  last_ = std::max(last_, number);
  const auto [it, is_added] = jobs_.emplace(number, std::move(job));
  ensure(is_added, "no two jobs have the same number");
  JobState& added = it->second;
  if (added.finished()) {
    const Time ended = std::max(*added.finished(), ended_min);
    history_.add(number, added.job().owner, ended, added.history_size());
  } else {
    active_.insert(number);
  }
  given_out_.insert(number);
  ++version_;
  if (!added.job().key.empty()) keys_.emplace(added.job().key, number);
  return added;
}

JobState* JobTable::find(const JobId& job) {
  const auto it = jobs_.find(job.number);
  if (it == jobs_.end() || it->second.id() != job) return nullptr;
  given_out_.insert(job.number);
  return &it->second;
}

const JobState* JobTable::find(const JobId& job) const {
  const auto it = jobs_.find(job.number);
  return it == jobs_.end() || it->second.id() != job ? nullptr : &it->second;
}

Result<JobState*> JobTable::find(const JobId& id, std::span<const std::uint32_t> tasks) {
  JobState* const job = find(id);
  const std::string name = "job " + label_of(id);
  if (job == nullptr) return failure(ErrorKind::not_found, "no " + name + " here");
  const auto unknown = [&](std::uint32_t index) { return index >= job->task_count(); };
  if (std::ranges::any_of(tasks, unknown)) {
    return failure(
        ErrorKind::not_found, name + " has tasks 0 to " + std::to_string(job->task_count() - 1));
  }
  return job;
}

const JobState* JobTable::find_key(const SubmitKey& key) const {
  const auto it = keys_.find(key);
  return it == keys_.end() ? nullptr : &jobs_.at(it->second);
}

std::vector<JobState*> JobTable::active() {
  return give_out(active_);
}

std::vector<const JobState*> JobTable::active() const {
  std::vector<const JobState*> jobs;
  jobs.reserve(active_.size());
  for (const std::uint32_t number : active_) jobs.push_back(&jobs_.at(number));
  return jobs;
}

std::vector<JobId> JobTable::take_awaited_news() {
  note_changes();
  return indexes_.take_awaited_news();
}

void JobTable::note_changes() {
  looks_ += given_out_.size();
  for (const std::uint32_t number : given_out_) {
    // A job that is history by now had finished before, and needed nothing.
    const auto it = jobs_.find(number);
    if (it != jobs_.end()) indexes_.update(it->second);
  }
  given_out_.clear();
}

void JobTable::finish(JobState& job, Time now) {
  job.finish(now);
  active_.erase(job.id().number);
  history_.add(job.id().number, job.job().owner, *job.finished(), job.history_size());
  ++version_;
  indexes_.update(job);
}

void JobTable::go_on(const JobState& job) {
  active_.insert(job.id().number);
  history_.remove(job.id().number);
  ++version_;
  indexes_.update(job);
}

void JobTable::forget(Turn& turn, std::uint32_t number) {
  const auto it = jobs_.find(number);
  const JobState& job = it->second;
  turn.store.forget_job(job.id());
  history_.remove(number);
  indexes_.forget(number);
  const auto key = keys_.find(job.job().key);
  if (key != keys_.end() && key->second == number) {
    keys_.erase(key);
    spent_.add(turn.now, job.job());
    if (const SpentKey* const spent = spent_.find(job.job().key)) turn.store.put_spent_key(*spent);
  }
  jobs_.erase(it);
}

void JobTable::prune(Turn& turn, std::uint32_t number) {
  JobState& job = jobs_.at(number);
  turn.store.put_progress(job.id(), job.prune());
  history_.prune(number);
}

}  // namespace dunlin::sched
