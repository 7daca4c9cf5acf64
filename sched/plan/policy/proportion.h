// SPDX-License-Identifier: MIT
#pragma once

#include "sched/plan/policy/policy.h"

namespace dunlin::sched {

/// Each job gets slots in proportion to the work it has left. Source: Lin 2014, section 5.2,
/// algorithm 2, with the number of slots as a factor, which is missing in print. There each part is
/// rounded up, so the last jobs get nothing; here the largest remainders get what rounding leaves.
class ProportionPlan final : public PlanPolicy {
 public:
  void divide(Division& division) const override;
};

}  // namespace dunlin::sched
