// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/params.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The parameters of a manager that plans. The rule of the plan is set for the whole cluster, as
/// shares are: see PlanParams.
struct PlannerParams {
  Duration gap = std::chrono::milliseconds(100);
};

}  // namespace dunlin::sched

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kSection<sched::PlannerParams> = "plan";
template <>
inline constexpr auto kParams<sched::PlannerParams> = std::tuple{
    Param<&sched::PlannerParams::gap>{
        {std::chrono::milliseconds(1), std::chrono::minutes(1), Scale::log},
        "Time between two plans of a manager at least, however much changes; and between two sets "
        "of claims that a node sends.",
        "Lin 2014, section 3.2: the decision maker is passive"},
};
}  // namespace dunlin::overlay
