// SPDX-License-Identifier: MIT
#include "sched/frontend/job_table.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>
#include <utility>

// A job that has finished is kept for people who ask what became of it, within bounds of age and
// number. The store forgets with the table. Each look forgets a part of what is too much, because
// each job is one deletion of all its rows, and a burst of them would hold up the records of the
// others. The number is met at the expense of the user with most finished jobs: thousands of one
// user's push out no other's, nor the keys by which that one's submissions are known.
namespace dunlin::sched {
namespace {

/// Finished jobs forgotten at a time, or half of those that are too many.
constexpr std::size_t kForgottenAtOnce = 16;

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

JobTable::Jobs::iterator JobTable::forget(Turn& turn, Jobs::iterator it) {
  const JobState& job = it->second;
  turn.store.forget_job(job.id());
  const auto key = keys_.find(job.job().key);
  if (key != keys_.end() && key->second == it->first) {
    keys_.erase(key);
    spent_.add(turn.now, job.job());
    if (const SpentKey* const spent = spent_.find(job.job().key)) turn.store.put_spent_key(*spent);
  }
  return jobs_.erase(it);
}

// The newest stays: after a restart its number must not be given again, or reports of the old job
// that are still under way would be taken for results of a new one.
void JobTable::forget_history(Turn& turn, const FrontendParams& params) {
  spent_.expire(turn.now);
  if (jobs_.empty()) return;
  const auto beyond = [&] {
    const std::size_t finished = jobs_.size() - active_.size();
    return finished - std::min<std::size_t>(finished, params.history_max);
  };
  // As fast as they come, or many short jobs would make history as long as they like.
  std::size_t budget = std::max(kForgottenAtOnce, beyond() / 2);
  for (auto it = jobs_.begin(); std::next(it) != jobs_.end() && budget > 0;) {
    const JobState& job = it->second;
    if (!job.finished() || turn.now - *job.finished() <= params.history_age) {
      ++it;
      continue;
    }
    it = forget(turn, it);
    --budget;
  }
  budget = std::min(budget, beyond());
  if (budget > 0) forget_of_largest(turn, budget);
}

/// Forgets so many finished jobs, each the oldest of the user that has most of them then.
void JobTable::forget_of_largest(Turn& turn, std::size_t count) {
  std::map<std::string, std::deque<Jobs::iterator>> by_user;
  for (auto it = jobs_.begin(); std::next(it) != jobs_.end(); ++it) {
    if (it->second.finished()) by_user[it->second.job().owner].push_back(it);
  }
  for (; count > 0 && !by_user.empty(); --count) {
    auto& largest = std::ranges::max_element(by_user, {}, [](const auto& each) {
      return each.second.size();
    })->second;
    if (largest.empty()) return;
    forget(turn, largest.front());
    largest.pop_front();
  }
}

}  // namespace dunlin::sched
