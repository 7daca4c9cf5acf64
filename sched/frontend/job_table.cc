// SPDX-License-Identifier: MIT
#include "sched/frontend/job_table.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

// A job that has finished is kept for people who ask what became of it, within bounds of age and
// number. The store forgets with the table. Each look forgets a few jobs at most, because each is
// one deletion of all rows of the job, and a burst of them would hold up the records of the others.
namespace dunlin::sched {
namespace {

/// Finished jobs forgotten at a time: history fades a little at a time, never in a burst.
constexpr int kForgottenAtOnce = 16;

}  // namespace

JobState& JobTable::add(JobState job) {
  const std::uint32_t number = job.id().number;
  last_ = std::max(last_, number);
  const auto [it, is_added] = jobs_.emplace(number, std::move(job));
  ensure(is_added, "no two jobs have the same number");
  JobState& added = it->second;
  if (!added.finished()) active_.insert(number);
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
  std::vector<JobState*> jobs;
  jobs.reserve(active_.size());
  for (const std::uint32_t number : active_) jobs.push_back(&jobs_.at(number));
  given_out_.insert(active_.begin(), active_.end());
  return jobs;
}

std::vector<const JobState*> JobTable::active() const {
  std::vector<const JobState*> jobs;
  jobs.reserve(active_.size());
  for (const std::uint32_t number : active_) jobs.push_back(&jobs_.at(number));
  return jobs;
}

void JobTable::note_changes() {
  for (const std::uint32_t number : given_out_) {
    // A job that is history by now had finished before, and needed nothing.
    const auto it = jobs_.find(number);
    if (it != jobs_.end()) look_at(it->second);
  }
  given_out_.clear();
}

void JobTable::look_at(const JobState& job) {
  needs_.update(job);
  holdings_.update(job);
}

void JobTable::finish(JobState& job, Time now) {
  job.finish(now);
  active_.erase(job.id().number);
  ++version_;
  look_at(job);
}

void JobTable::go_on(const JobState& job) {
  active_.insert(job.id().number);
  ++version_;
  look_at(job);
}

void JobTable::forget_history(Turn& turn, const FrontendParams& params) {
  if (jobs_.empty()) return;
  std::size_t finished = jobs_.size() - active_.size();
  int budget = kForgottenAtOnce;
  // The newest stays: after a restart its number must not be given again, or reports of the old job
  // that are still under way would be taken for results of a new one.
  for (auto it = jobs_.begin(); std::next(it) != jobs_.end() && budget > 0;) {
    const JobState& job = it->second;
    const bool old = job.finished() && turn.now - *job.finished() > params.history_age;
    if (old || (job.finished() && finished > params.history_max)) {
      turn.store.forget_job(job.id());
      const auto key = keys_.find(job.job().key);
      if (key != keys_.end() && key->second == it->first) keys_.erase(key);
      it = jobs_.erase(it);
      --finished;
      --budget;
    } else {
      ++it;
    }
  }
}

}  // namespace dunlin::sched
