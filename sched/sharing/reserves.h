// SPDX-License-Identifier: MIT
#pragma once

#include "sched/sharing/reserves_params.h"
#include "sched/sharing/sharing_plan.h"
#include "sched/sharing/solver.h"

namespace dunlin::sched {

/// The bounds for steps 1 and 2: a class that did not use up its tickets on a node gets no more
/// there than it used. Requires a valid input.
ReservesProblem reserves_problem(const ReservesParams& params, const SharingInput& input);

/// A plan, and how good it could be.
struct ReservesPlan {
  SharingPlan plan;
  Tickets deviation = 0;  ///< By step 1: tickets that all classes together lack of their shares.
};

/// The next period by Cluster Reserves. Step 1 finds the least deviation that is feasible, and step
/// 2 the closest allocation with no more than that. The rest goes to classes that can use it, first
/// to those that contributed before. Deposits remember contributions; they are drawn when they are
/// repaid, and expire by age. Fails as validate(input) does. Source: CS 736 slides, "Cluster
/// Reserves"; Aron, Druschel and Zwaenepoel 2000.
Result<ReservesPlan> plan_reserves(const ReservesParams& params, const SharingInput& input);

}  // namespace dunlin::sched
