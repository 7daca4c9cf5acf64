// SPDX-License-Identifier: MIT
#include "sched/frontend/job_table.h"

#include <algorithm>
#include <string>
#include <utility>

// A job that has finished is kept for people who ask what became of it, within bounds of age and
// size. The store forgets with the table. Each look forgets a part of what is too much, because
// each job is one deletion of all its rows, and a burst of them would hold up the records of the
// others. What ended a moment ago stays, however much that is: its user may not have looked yet.
// Which job goes first is said by history/job_history.h.
namespace dunlin::sched {

JobState& JobTable::add(JobState job, Time ended_min) {
  const std::uint32_t number = job.id().number;
  last_ = std::max(last_, number);
  const auto [it, is_added] = jobs_.emplace(number, std::move(job));
  ensure(is_added, "no two jobs have the same number");
  JobState& added = it->second;
  if (added.finished()) {
    note_end(added, ended_min);
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

template <typename Numbers>
std::vector<JobState*> JobTable::give_out(const Numbers& numbers) {
  std::vector<JobState*> jobs;
  jobs.reserve(numbers.size());
  for (const std::uint32_t number : numbers) jobs.push_back(&jobs_.at(number));
  given_out_.insert(numbers.begin(), numbers.end());
  looks_ += jobs.size();
  return jobs;
}

std::vector<JobState*> JobTable::active() {
  return give_out(active_);
}

std::vector<JobState*> JobTable::bound() {
  note_changes();
  return give_out(needs_.bound());
}

std::vector<JobState*> JobTable::free() {
  note_changes();
  return give_out(needs_.free());
}

std::vector<JobState*> JobTable::rested(Time now) {
  note_changes();
  return give_out(needs_.rested(now));
}

std::vector<JobState*> JobTable::begun(Time now) {
  note_changes();
  return give_out(needs_.begun(now));
}

std::vector<JobState*> JobTable::due(Time after, Time until) {
  note_changes();
  return give_out(needs_.due(after, until));
}

std::vector<const JobState*> JobTable::active() const {
  std::vector<const JobState*> jobs;
  jobs.reserve(active_.size());
  for (const std::uint32_t number : active_) jobs.push_back(&jobs_.at(number));
  return jobs;
}

std::vector<JobState*> JobTable::waiting_for(const JobId& awaited) {
  note_changes();
  std::set<std::uint32_t> numbers;
  for (const Dependants::Wait& wait : dependants_.of(awaited)) numbers.insert(wait.job);
  return give_out(numbers);
}

std::vector<JobId> JobTable::take_awaited_news() {
  note_changes();
  return dependants_.take_news();
}

const AfterJob& JobTable::said_of(const JobId& awaited) const {
  const Dependants::Wait& first = *dependants_.of(awaited).begin();
  return jobs_.at(first.job).job().after_jobs[first.place];
}

void JobTable::note_changes() {
  looks_ += given_out_.size();
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
  dependants_.update(job);
}

void JobTable::finish(JobState& job, Time now) {
  job.finish(now);
  active_.erase(job.id().number);
  note_end(job);
  ++version_;
  look_at(job);
}

void JobTable::go_on(const JobState& job) {
  active_.insert(job.id().number);
  history_.remove(job.id().number);
  ++version_;
  look_at(job);
}

void JobTable::note_end(const JobState& job, Time ended_min) {
  const Time ended = std::max(*job.finished(), ended_min);
  history_.add(job.id().number, job.job().owner, ended, job.history_size());
}

void JobTable::forget(Turn& turn, std::uint32_t number) {
  const auto it = jobs_.find(number);
  const JobState& job = it->second;
  turn.store.forget_job(job.id());
  history_.remove(number);
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

// The newest stays: after a restart its number must not be given again, or reports of the old job
// that are still under way would be taken for results of a new one.
bool JobTable::forget_history(Turn& turn, const FrontendParams& params) {
  spent_.expire(turn.now);
  if (jobs_.empty()) return false;
  const std::uint32_t newest = jobs_.rbegin()->first;
  const Time too_old = turn.now - params.history_age;
  const Duration age_min = std::min(params.history_min, params.history_age);
  const Time old_enough = turn.now - age_min + Duration{1};
  std::uint64_t bytes = 0;
  for (std::size_t count = 0; count < kForgottenMax; ++count) {
    JobHistory::Choice next;
    if (const auto old = history_.first(too_old, newest)) {
      next = {*old, false};
    } else {
      const bool too_large = history_.bytes() > params.history_bytes;
      const bool too_many = history_.count() > params.history_max;
      if (!too_large && !too_many) return false;
      // To let tasks go makes jobs no fewer.
      const auto largest = history_.of_largest(old_enough, newest, !too_many);
      if (!largest) return false;
      next = *largest;
    }
    const HistorySize& size = history_.size_of(next.number);
    bytes += size.tasks + (next.tasks ? 0 : size.record);
    if (count > 0 && bytes > kForgottenBytesMax) return true;
    next.tasks ? prune(turn, next.number) : forget(turn, next.number);
  }
  return true;
}

}  // namespace dunlin::sched
