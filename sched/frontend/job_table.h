// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "sched/frontend/job_state.h"
#include "sched/frontend/params.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// The jobs submitted at one node, by number: those that go on, and the latest of those that have
/// finished.
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
  /// True if `job` may be the id of a job to add.
  bool is_new(const JobId& job) const { return job.home == home_ && !jobs_.contains(job.number); }
  /// Requires a number that no job has.
  JobState& add(JobState job);
  /// nullptr if there is no such job. The whole id must match: a job of the same number and another
  /// lineage is another job.
  JobState* find(const JobId& job);
  const JobState* find(const JobId& job) const;
  /// The job of that submission; nullptr if there is none, or no key.
  const JobState* find_key(const SubmitKey& key) const;
  /// Ascending by number.
  const std::map<std::uint32_t, JobState>& all() const { return jobs_; }
  /// The jobs that have not finished, ascending by number. They stay valid as some of them finish.
  std::vector<JobState*> active();
  std::uint32_t active_count() const { return static_cast<std::uint32_t>(active_.size()); }
  bool has_finished_ones() const { return jobs_.size() > active_.size(); }
  /// True if a task of any job is bound.
  bool any_bound() const;
  /// True if a task of any job waits that is not held.
  bool any_waiting() const;
  /// When the first task of any job has rested; kNever if none rests.
  Time next_rested() const;

  /// The first deadline of them that is later than `after`; kNever if there is none.
  Time next_due(Time after) const;

  /// All tasks of the job are final.
  void finish(JobState& job, Time now);
  /// A job that had finished has tasks to run again.
  void go_on(const JobState& job);
  /// Forgets the finished jobs that `params` say are too old or too many, a few at a time.
  void forget_history(Turn& turn, const FrontendParams& params);

 private:
  PeerId home_;
  std::map<std::uint32_t, JobState> jobs_;
  std::set<std::uint32_t> active_;           ///< Jobs not finished.
  std::map<SubmitKey, std::uint32_t> keys_;  ///< Numbers of jobs that have one.
  std::uint32_t last_ = 0;                   ///< The greatest number given.
};

}  // namespace dunlin::sched
