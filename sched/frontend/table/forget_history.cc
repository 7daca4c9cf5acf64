// SPDX-License-Identifier: MIT
#include "sched/frontend/table/forget_history.h"

#include <algorithm>

#include "sched/frontend/history/job_history.h"

// A job that has finished is kept for people who ask what became of it, within bounds of age and
// size. The store forgets with the table. Each look forgets a part of what is too much, because
// each job is one deletion of all its rows, and a burst of them would hold up the records of the
// others. What ended a moment ago stays, however much that is: its user may not have looked yet.
// Which job goes first is said by history/job_history.h.
namespace dunlin::sched {

// The newest stays: after a restart its number must not be given again, or reports of the old job
// that are still under way would be taken for results of a new one.
bool forget_history(Turn& turn, JobTable& jobs, const FrontendParams& params) {
  jobs.expire_keys(turn.now);
  if (jobs.all().empty()) return false;
  const JobHistory& history = jobs.history();
  const std::uint32_t newest = jobs.all().rbegin()->first;
  const Time too_old = turn.now - params.history_age;
  const Duration age_min = std::min(params.history_min, params.history_age);
  const Time old_enough = turn.now - age_min + Duration{1};
  std::uint64_t bytes = 0;
  for (std::size_t count = 0; count < kForgottenMax; ++count) {
    JobHistory::Choice next;
    if (const auto old = history.first(too_old, newest)) {
      next = {*old, false};
    } else {
      const bool too_large = history.bytes() > params.history_bytes;
      const bool too_many = history.count() > params.history_max;
      if (!too_large && !too_many) return false;
      // To let tasks go makes jobs no fewer.
      const auto largest = history.of_largest(old_enough, newest, !too_many);
      if (!largest) return false;
      next = *largest;
    }
    const HistorySize& size = history.size_of(next.number);
    bytes += size.tasks + (next.tasks ? 0 : size.record);
    if (count > 0 && bytes > kForgottenBytesMax) return true;
    next.tasks ? jobs.prune(turn, next.number) : jobs.forget(turn, next.number);
  }
  return true;
}

}  // namespace dunlin::sched
