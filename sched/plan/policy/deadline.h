// SPDX-License-Identifier: MIT
#pragma once

#include "sched/plan/policy/policy.h"

namespace dunlin::sched {

/// By priority, each job gets the fewest of the fastest slots with which it meets its deadline. A
/// job without a deadline needs none, and one whose deadline is past needs one: a need that it can
/// no longer meet would take every slot there is. Source: Lin 2014, section 5.4, algorithm 4, which
/// compares with 1/d, not 1/T as printed, and does not say what an overdue job needs.
class DeadlinePlan final : public PlanPolicy {
 public:
  void divide(Division& division) const override;
};

}  // namespace dunlin::sched
