// SPDX-License-Identifier: MIT
#include "sched/plan/policy/deadline.h"

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
