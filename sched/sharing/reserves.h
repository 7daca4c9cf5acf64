// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/params.h"
#include "sched/sharing/sharing_plan.h"
#include "sched/sharing/solver.h"

namespace dunlin::sched {

/// What the new allocation is to be close to.
enum class ReservesObjective : std::uint8_t {
  desired,   ///< The desired shares: that of the slides.
  previous,  ///< The last allocation: that of the paper before them. Moves least.
};

struct ReservesParams {
  ReservesObjective objective = ReservesObjective::desired;
  double full_use = 0.95;
  bool spare = true;
  Duration memory = std::chrono::minutes(10);
};

/// What step 1 and 2 are about: a class gets no more on a node than it used there, if it did not
/// use up what it had. Requires a valid input.
ReservesProblem reserves_problem(const ReservesParams& params, const SharingInput& input);

struct ReservesPlan {
  SharingPlan plan;
  Tickets deviation = 0;  ///< Of step 1: how far all classes together are from their shares.
};

/// The next period by Cluster Reserves. Step 1 finds the least deviation that is feasible; step 2
/// the closest allocation with no more than that; then what is left is given to those who can use
/// it, first to those who contributed before. Deposits remember contributions; they are drawn when
/// they are repaid, and expire by age. Fails as validate(input) does. Source: CS 736 slides,
/// "Cluster Reserves"; Aron, Druschel and Zwaenepoel 2000.
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
    Param<&sched::ReservesParams::full_use>{
        {0.5, 1.0}, "Who used this share of its tickets has used them up: a resource sink."},
    Param<&sched::ReservesParams::spare>{{},
        "What is left is given to those who can use it, first to those who contributed.",
        "CS 736 slides, distribution of unassigned resource"},
    Param<&sched::ReservesParams::memory>{
        {std::chrono::seconds(1), std::chrono::hours(24 * 7), Scale::log},
        "Contributions older than this are forgotten."},
};
}  // namespace dunlin::overlay
