// SPDX-License-Identifier: MIT
#include "sched/plan/policy/workload.h"

// A job's work over the horizon is a rate, which slots reach together. A long job so gets many
// slots and a short one few, but a job of low priority may get none: the rates are not scaled to
// fit.
namespace dunlin::sched {

void WorkloadPlan::divide(Division& division) const {
  const double horizon = std::chrono::duration<double>(horizon_).count();
  for (const std::size_t job : division.by_priority()) {
    division.give(job, division.pool().free(), division.work_of(job) / horizon);
  }
}

}  // namespace dunlin::sched
