// SPDX-License-Identifier: MIT
#pragma once

#include "sched/plan/policy/policy.h"

namespace dunlin::sched {

/// The job of the earliest deadline gets all the slots it can use, then the next. On one processor
/// this meets all deadlines if any rule can; overloaded, it serves the hopeless first. Source:
/// Lin 2014, section 6.3, the baseline.
class EdfPlan final : public PlanPolicy {
 public:
  void divide(Division& division) const override;
};

}  // namespace dunlin::sched
