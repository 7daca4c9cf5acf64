// SPDX-License-Identifier: MIT
#include "sched/plan/policy/workload.h"

namespace dunlin::sched {

void WorkloadPlan::divide(Division& division) const {
  const double horizon = std::chrono::duration<double>(horizon_).count();
  for (const std::size_t job : division.by_priority()) {
    division.give(job, division.pool().free(), division.work_of(job) / horizon);
  }
}

}  // namespace dunlin::sched
