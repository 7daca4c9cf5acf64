// SPDX-License-Identifier: MIT
#include "sched/plan/policy/deadline.h"

// A job that has r tasks of length T left ends in time d if its slots end r tasks until then. The
// fastest slots reach that with the fewest, and what one job does not need is there for the next.
// The thesis lets a slot of speed s end s d / T tasks; but a task is not divided, and where d is
// few tasks long the last ones would end late. So the part is rounded down.
namespace dunlin::sched {

void DeadlinePlan::divide(Division& division) const {
  for (const std::size_t job : division.by_priority()) {
    const auto& left = division.jobs()[job].time_left;
    if (!left) continue;
    if (*left <= Duration{0}) {
      division.give(job, 1);
    } else {
      division.give_in_time(job, *left);
    }
  }
}

}  // namespace dunlin::sched
