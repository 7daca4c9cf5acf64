// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sched/frontend/after/dependants.h"
#include "sched/frontend/history/job_history.h"
#include "sched/frontend/job_needs.h"
#include "sched/frontend/job_state.h"
#include "sched/frontend/keys/spent_keys.h"
#include "sched/frontend/params.h"
#include "sched/frontend/user_holdings.h"
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
  /// Ascending by number.
  const std::map<std::uint32_t, JobState>& all() const { return jobs_; }
  /// The jobs that have not finished, ascending by number. They stay valid as some of them finish,
  /// and may be changed until note_changes().
  std::vector<JobState*> active();
  std::vector<const JobState*> active() const;
  /// Those of them that have tasks bound, ascending by number; these, too, may be changed until
  /// note_changes(). It and the next ones call that first, so no job that was given out before them
  /// may be changed by its old pointer after them. They cost what they return, however many jobs
  /// there are.
  std::vector<JobState*> bound();
  /// Those that are not held back: see is_held_back().
  std::vector<JobState*> free();
  /// Those of which a task has rested at `now`.
  std::vector<JobState*> rested(Time now);
  /// Those for which their users' time to begin has come at `now`, and which do not know it yet.
  std::vector<JobState*> begun(Time now);
  /// Those with deadlines later than `after`, and not later than `until`.
  std::vector<JobState*> due(Time after, Time until);
  /// Those that wait for the job `awaited`.
  std::vector<JobState*> waiting_for(const JobId& awaited);
  std::uint32_t active_count() const { return static_cast<std::uint32_t>(active_.size()); }
  bool has_finished_ones() const { return jobs_.size() > active_.size(); }
  /// What the jobs needed when note_changes() was called last.
  const JobNeeds& needs() const { return needs_; }
  /// What the jobs of each user held then.
  const UserHoldings& holdings() const { return holdings_; }
  /// Which jobs waited for which then.
  const Dependants& dependants() const { return dependants_; }
  /// What came to be awaited, or ceased to be, since the last call: see Dependants::take_news().
  std::vector<JobId> take_awaited_news();
  /// What the first of the jobs that wait for that one says of it. Requires that there is one.
  const AfterJob& said_of(const JobId& awaited) const;
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
  /// Forgets finished jobs, or the records of their tasks, as `params` say: those that ended too
  /// long ago, and where all of them take too much, the first of the user whose jobs take most.
  /// None that ended a moment ago: see FrontendParams::history_min. A bounded number at a time:
  /// true if more is to go.
  bool forget_history(Turn& turn, const FrontendParams& params);
  /// The jobs that have finished.
  const JobHistory& history() const { return history_; }
  /// So many are forgotten by one call at most, or lose the records of their tasks, ...
  static constexpr std::size_t kForgottenMax = 256;
  /// ... with so many bytes, by JobHistory, but for one that is larger alone.
  static constexpr std::uint64_t kForgottenBytesMax = 2 << 20;

 private:
  /// The jobs of these numbers, which have not finished, to be changed.
  template <typename Numbers>
  std::vector<JobState*> give_out(const Numbers& numbers);
  /// The job has changed, or may have.
  void look_at(const JobState& job);

  /// It has finished: it is history from now on.
  void note_end(const JobState& job, Time ended_min = Time::min());
  void forget(Turn& turn, std::uint32_t number);
  void prune(Turn& turn, std::uint32_t number);

  PeerId home_;
  std::map<std::uint32_t, JobState> jobs_;
  std::set<std::uint32_t> active_;     ///< Jobs not finished.
  std::set<std::uint32_t> given_out_;  ///< Jobs that may have changed since needs_ saw them.
  JobNeeds needs_;
  UserHoldings holdings_;
  Dependants dependants_;
  JobHistory history_;
  std::map<SubmitKey, std::uint32_t> keys_;  ///< Numbers of jobs that have one.
  SpentKeys spent_;
  std::uint32_t last_ = 0;  ///< The greatest number given.
  std::uint64_t version_ = 0;
  std::uint64_t looks_ = 0;
};

}  // namespace dunlin::sched
