// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "sched/plan/division.h"

namespace dunlin::sched {

/// The rule by which a plan divides slots. It holds settings, no state: the same jobs and slots get
/// the same division. What it leaves free goes by the spare rule.
class PlanPolicy {
 public:
  virtual ~PlanPolicy() = default;
  virtual void divide(Division& division) const = 0;

 protected:
  PlanPolicy() = default;
  PlanPolicy(const PlanPolicy&) = default;
  PlanPolicy& operator=(const PlanPolicy&) = default;
};

/// The policy that `params.policy` names.
std::unique_ptr<const PlanPolicy> make_plan_policy(const PlanParams& params);

}  // namespace dunlin::sched
