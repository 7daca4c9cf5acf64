// SPDX-License-Identifier: MIT
#include "sched/plan/planner_params.h"

#include "overlay/params/param_table.h"

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

void append_entries(sched::PlannerParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
