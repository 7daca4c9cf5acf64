// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sched/frontend/history/job_history.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/keys/spent_keys.h"
#include "sched/frontend/table/job_indexes.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// The jobs submitted at one node, by number: those that go on, and those of which it is not too
/// long ago that they finished.
class JobTable {
 public:
  /// `home` is the node.
  explicit JobTable(PeerId home) : home_(home) {}

  /// The id of a new job. `lineage` must never have been used for a job of this number.
  JobId next_id(std::uint64_t lineage) {
    return {.home = home_, .number = ++last_, .lineage = lineage};
  }
  /// Numbers up to `last` were given, even if no job here has them.
  void skip_numbers(std::uint32_t last) { last_ = std::max(last_, last); }
  /// The greatest number that was given, as far as is known here.
  std::uint32_t last() const { return last_; }
  /// True if `job` may be the id of a job to add.
  bool is_new(const JobId& job) const { return job.home == home_ && !jobs_.contains(job.number); }
  /// Requires a number that no job has. The job may be changed until note_changes().
  /// `ended_min`: as history, a job that has ended did so then at the earliest.
  JobState& add(JobState job, Time ended_min = Time::min());
  /// nullptr if there is no such job. The whole id must match: a job of the same number and another
  /// lineage is another job. The job may be changed until note_changes().
  JobState* find(const JobId& job);
  const JobState* find(const JobId& job) const;
  /// The job, if it is here and has these tasks.
  Result<JobState*> find(const JobId& job, std::span<const std::uint32_t> tasks);
  /// The job of that submission; nullptr if there is none, or no key.
  const JobState* find_key(const SubmitKey& key) const;
  /// What is left of the job of that submission, which is forgotten; nullptr if nothing is.
  const SpentKey* find_spent(const SubmitKey& key) const { return spent_.find(key); }
  /// Those of an earlier life, the oldest first.
  void restore_keys(Time now, std::vector<SpentKey> keys) { spent_.restore(now, std::move(keys)); }
  /// Forgets keys that are a day old.
  void expire_keys(Time now) { spent_.expire(now); }
  /// Ascending by number.
  const std::map<std::uint32_t, JobState>& all() const { return jobs_; }
  /// The jobs that have not finished, ascending by number. They stay valid as some of them finish,
  /// and may be changed until note_changes().
  std::vector<JobState*> active();
  std::vector<const JobState*> active() const;
  /// Those of these numbers, none of which has finished, in their order; they may be changed until
  /// note_changes(). ConcernedJobs says which those are that a timer or a word concerns.
  template <typename Numbers>
  std::vector<JobState*> give_out(const Numbers& numbers);
  std::uint32_t active_count() const { return static_cast<std::uint32_t>(active_.size()); }
  /// What is known of the jobs without a walk over them, as they were when note_changes() was
  /// called last.
  const JobIndexes& indexes() const { return indexes_; }
  /// What came to be awaited, or ceased to be, since the last call: see Dependants::take_news().
  std::vector<JobId> take_awaited_news();
  /// Looks again at the jobs that were given out for changes since the last call.
  void note_changes();
  /// So many jobs were given out or looked at so far: for tests of what a call costs.
  std::uint64_t looks() const { return looks_; }

  /// Grows when a job comes, ends or goes on, and with touch().
  std::uint64_t version() const { return version_; }
  /// A job is on hold now, or not any more, or has other terms.
  void touch() { ++version_; }

  /// All tasks of the job are final.
  void finish(JobState& job, Time now);
  /// A job that had finished has tasks to run again.
  void go_on(const JobState& job);
  /// The jobs that have finished.
  const JobHistory& history() const { return history_; }
  /// Forgets a job that has finished, here and in the store: see forget_history().
  void forget(Turn& turn, std::uint32_t number);
  /// Forgets the records of its tasks alone.
  void prune(Turn& turn, std::uint32_t number);

 private:
  PeerId home_;
  std::map<std::uint32_t, JobState> jobs_;
  std::set<std::uint32_t> active_;     ///< Jobs not finished.
  std::set<std::uint32_t> given_out_;  ///< Jobs that may have changed since indexes_ saw them.
  JobIndexes indexes_;
  JobHistory history_;
  std::map<SubmitKey, std::uint32_t> keys_;  ///< Numbers of jobs that have one.
  SpentKeys spent_;
  std::uint32_t last_ = 0;  ///< The greatest number given.
  std::uint64_t version_ = 0;
  std::uint64_t looks_ = 0;
};

template <typename Numbers>
std::vector<JobState*> JobTable::give_out(const Numbers& numbers) {
  std::vector<JobState*> jobs;
  jobs.reserve(numbers.size());
  for (const std::uint32_t number : numbers) jobs.push_back(&jobs_.at(number));
  given_out_.insert(numbers.begin(), numbers.end());
  looks_ += jobs.size();
  return jobs;
}

}  // namespace dunlin::sched
