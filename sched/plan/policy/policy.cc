// SPDX-License-Identifier: MIT
#include "sched/plan/policy/policy.h"

#include "overlay/ensure.h"
#include "sched/plan/policy/assured.h"
#include "sched/plan/policy/deadline.h"
#include "sched/plan/policy/edf.h"
#include "sched/plan/policy/priority.h"
#include "sched/plan/policy/proportion.h"
#include "sched/plan/policy/workload.h"

namespace dunlin::sched {

std::unique_ptr<const PlanPolicy> make_plan_policy(const PlanParams& params) {
  switch (params.policy) {
    case PlanPolicyName::priority:
      return std::make_unique<PriorityPlan>(params.reserve);
    case PlanPolicyName::proportion:
      return std::make_unique<ProportionPlan>();
    case PlanPolicyName::workload:
      return std::make_unique<WorkloadPlan>(params.horizon);
    case PlanPolicyName::deadline:
      return std::make_unique<DeadlinePlan>();
    case PlanPolicyName::edf:
      return std::make_unique<EdfPlan>();
    case PlanPolicyName::assured:
      return std::make_unique<AssuredPlan>();
  }
  ensure(false, "a policy without a rule");
  return nullptr;
}

}  // namespace dunlin::sched
