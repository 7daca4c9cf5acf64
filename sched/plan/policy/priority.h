// SPDX-License-Identifier: MIT
#pragma once

#include "sched/plan/policy/policy.h"

namespace dunlin::sched {

/// The job of the highest priority gets all the slots it can use, but for a reserve. What is left
/// goes to the others, one slot each, by priority: so none starves as long as there are slots.
/// Source: Lin 2014, section 5.1, algorithm 1. As printed, line 3 gives the first job the reserve.
class PriorityPlan final : public PlanPolicy {
 public:
  explicit PriorityPlan(double reserve) : reserve_(reserve) {}
  void divide(Division& division) const override;

 private:
  double reserve_;  ///< In [0, 1], of all slots.
};

}  // namespace dunlin::sched
