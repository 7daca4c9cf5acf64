// SPDX-License-Identifier: MIT
#include "sched/plan/policy/deadline.h"

// A job that has r tasks of length T left ends in time d if its slots together have a throughput of
// r T / d. The fastest slots reach that with the fewest, and what one job does not need is there
// for the next.
namespace dunlin::sched {

void DeadlinePlan::divide(Division& division) const {
  for (const std::size_t job : division.by_priority()) {
    const auto& left = division.jobs()[job].time_left;
    if (!left) continue;
    if (*left <= Duration{0}) {
      division.give(job, 1);
    } else {
      // The whole job takes T/speed on one slot: sum of speed/T >= 1/d.
      const double seconds = std::chrono::duration<double>(*left).count();
      division.give(job, division.pool().free(), division.work_of(job) / seconds);
    }
  }
}

}  // namespace dunlin::sched
