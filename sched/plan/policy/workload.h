// SPDX-License-Identifier: MIT
#pragma once

#include "sched/plan/policy/policy.h"

namespace dunlin::sched {

/// By priority, each job gets the fastest slots that do the work it has left within `horizon`.
/// Source: Lin 2014, section 5.3, algorithm 3. A workload there is compared with throughputs, so it
/// is a rate: of the work left, as much as must be done in a unit of time.
class WorkloadPlan final : public PlanPolicy {
 public:
  explicit WorkloadPlan(Duration horizon) : horizon_(horizon) {}
  void divide(Division& division) const override;

 private:
  Duration horizon_;
};

}  // namespace dunlin::sched
