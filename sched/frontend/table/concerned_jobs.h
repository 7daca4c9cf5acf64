// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/frontend/job_state.h"
#include "sched/frontend/job_table.h"

namespace dunlin::sched {

/// The jobs of a table that a timer or a word concerns, ascending by number, none of which has
/// finished. They may be changed until JobTable::note_changes(). Each call makes that first, so no
/// job that was given out before may be changed by its old pointer after it. A call costs what it
/// returns, however many jobs there are.
class ConcernedJobs {
 public:
  /// The table must outlive this.
  explicit ConcernedJobs(JobTable& table) : table_(table) {}

  /// Those that have tasks bound.
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

 private:
  /// What is known of all jobs now.
  const JobIndexes& indexes();

  JobTable& table_;
};

}  // namespace dunlin::sched
