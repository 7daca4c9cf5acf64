// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/params.h"
#include "sched/sharing/sharing_plan.h"
#include "sched/sharing/solver.h"

namespace dunlin::sched {

/// The ideal that step 2 comes as close to as it can.
enum class ReservesObjective : std::uint8_t {
  desired,   ///< The desired shares: that of the slides.
  previous,  ///< The last allocation: that of the paper before them. Moves least.
};

/// The parameters of plan_reserves().
struct ReservesParams {
  ReservesObjective objective = ReservesObjective::desired;
  double full_use = 0.95;
  bool spare = true;
  Duration memory = std::chrono::minutes(10);
};

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

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sched::ReservesObjective>[] = {"desired", "previous"};
template <>
inline constexpr std::string_view kSection<sched::ReservesParams> = "cluster_reserves";
template <>
inline constexpr auto kParams<sched::ReservesParams> = std::tuple{
    Param<&sched::ReservesParams::objective>{{},
        "The new allocation is close to the desired shares on each node, or to the last one.",
        "CS 736 slides, (2); Aron 2000"},
    Param<&sched::ReservesParams::full_use>{{0.5, 1.0},
        "A class that used this share of its tickets has used them up: a resource sink."},
    Param<&sched::ReservesParams::spare>{{},
        "Tickets left over go to classes that can use them, first to those that contributed.",
        "CS 736 slides, distribution of unassigned resource"},
    Param<&sched::ReservesParams::memory>{
        {std::chrono::seconds(1), std::chrono::hours(24 * 7), Scale::log},
        "Contributions older than this are forgotten."},
};
}  // namespace dunlin::overlay
