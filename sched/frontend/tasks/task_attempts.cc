// SPDX-License-Identifier: MIT
#include "sched/frontend/tasks/task_attempts.h"

#include <algorithm>

// An attempt's number must never be given twice: a report names it, and so does the record of its
// end. The store has one record for each attempt that came to nothing, and one number more for each
// restart of the frontend. Their sum is a number that no earlier incarnation gave, although the
// last bindings before a crash were never stored. Numbers without a record are skipped, not reused.
// A standby that takes a job over does not know of them all; so numbers begin anew with each home,
// above those of the homes before.
namespace dunlin::sched {

AttemptNumber TaskAttempts::next(std::uint32_t restarts, AttemptNumber base) const {
  return base + static_cast<std::uint16_t>(1u + failures_ + losses_ + restarts);
}

bool TaskAttempts::may_return(
    AttemptNumber attempt, std::uint32_t restarts, AttemptNumber base) const {
  // Numbers that no record names were given by an incarnation that did not live to hear of them.
  return attempt > ended_ && attempt >= lost_ && attempt < next(restarts, base);
}

void TaskAttempts::count_end(AttemptNumber attempt, bool failed) {
  find_again(attempt);
  ++(failed ? failures_ : losses_);
  ended_ = std::max(ended_, attempt);
}

void TaskAttempts::count_loss(AttemptNumber attempt) {
  ++losses_;
  lost_ = attempt;
}

void TaskAttempts::begin_again(AttemptNumber last) {
  failures_ = 0;
  losses_ = number_of(last);
  ended_ = last;
  lost_ = 0;
}

void TaskAttempts::find_again(AttemptNumber attempt) {
  if (lost_ != attempt) return;
  --losses_;
  lost_ = 0;
}

}  // namespace dunlin::sched
