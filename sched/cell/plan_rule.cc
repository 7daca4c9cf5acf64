// SPDX-License-Identifier: MIT
#include "sched/cell/plan_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace dunlin::sched {
namespace {

using books::PlanPolicy;

constexpr std::array<std::pair<PlanPolicy, PlanPolicyName>, 6> kPolicies = {
    {{PlanPolicy::priority, PlanPolicyName::priority},
        {PlanPolicy::proportion, PlanPolicyName::proportion},
        {PlanPolicy::workload, PlanPolicyName::workload},
        {PlanPolicy::deadline, PlanPolicyName::deadline}, {PlanPolicy::edf, PlanPolicyName::edf},
        {PlanPolicy::assured, PlanPolicyName::assured}}};

}  // namespace

std::optional<PlanParams> plan_params(const books::PlanRule& rule) {
  const auto policy =
      std::ranges::find(kPolicies, rule.policy, &std::pair<PlanPolicy, PlanPolicyName>::first);
  if (policy == kPolicies.end()) return std::nullopt;
  const bool by_priority = rule.spare == books::PlanSpare::priority;
  return PlanParams{.policy = policy->second,
      .spare = by_priority ? SpareRule::priority : SpareRule::deadline,
      .reserve = rule.reserve / 1000.0,
      .horizon = rule.horizon};
}

books::PlanRule plan_rule(const std::optional<PlanParams>& params) {
  const PlanParams set = params.value_or(PlanParams{});
  const auto policy =
      std::ranges::find(kPolicies, set.policy, &std::pair<PlanPolicy, PlanPolicyName>::second);
  const double thousandths = std::round(std::clamp(set.reserve, 0.0, 1.0) * 1000);
  const bool by_priority = set.spare == SpareRule::priority;
  return {.policy = params ? policy->first : PlanPolicy::off,
      .spare = by_priority ? books::PlanSpare::priority : books::PlanSpare::deadline,
      .reserve = static_cast<std::uint16_t>(thousandths),
      .horizon = std::max(set.horizon, Duration{1})};
}

}  // namespace dunlin::sched
