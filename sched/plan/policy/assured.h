// SPDX-License-Identifier: MIT
#pragma once

#include "sched/plan/policy/policy.h"

namespace dunlin::sched {

/// Each job gets one slot, by priority; then, by deadline, what each needs to meet it; the rest
/// goes to the job of the earliest deadline, then to the next. A slot each costs little and keeps
/// the promise that no job is passed over for one of lower priority; a whole *need* by priority can
/// cost without bound. Deadlines stand still, while an index of slack and work left changes as jobs
/// run, so that plans which follow one undo each other's work (docs/lab/results.md measures it).
/// Ours.
class AssuredPlan final : public PlanPolicy {
 public:
  void divide(Division& division) const override;
};

}  // namespace dunlin::sched
