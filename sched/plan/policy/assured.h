// SPDX-License-Identifier: MIT
#pragma once

#include "sched/plan/policy/policy.h"

namespace dunlin::sched {

/// Each job gets one slot, by priority. The rest goes, job by job, to where lateness would cost
/// most: priority by work left, damped by slack. A slot each costs little and keeps the promise
/// that no job is passed over for one of lower priority; a whole *need* by priority can cost
/// without bound. Source: the index is ATC (Vepsalainen and Morton 1987); one slot each is ours.
class AssuredPlan final : public PlanPolicy {
 public:
  void divide(Division& division) const override;
};

}  // namespace dunlin::sched
