// SPDX-License-Identifier: MIT
#include "sched/worker/tracker/params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sched::TrackerParams> = "tracker";
template <>
inline constexpr auto kParams<sched::TrackerParams> = std::tuple{
    Param<&sched::TrackerParams::watch>{{},
        "Of which resources a node offers less while something that is no task of its uses them: "
        "of "
        "none, of the rates that it declares, or of CPU and memory, too.",
        "Grandl 2014"},
    Param<&sched::TrackerParams::period>{
        {std::chrono::milliseconds(100), std::chrono::minutes(1), Scale::log},
        "Time between two looks at what the node and its tasks use."},
    Param<&sched::TrackerParams::reclaim>{{},
        "What others may have of the demand of a task that uses less: nothing, or CPU and rates "
        "beyond its recent peak and a tenth. Not where worker.preempt is on.",
        "Grandl 2014"},
    Param<&sched::TrackerParams::ramp_up>{
        {std::chrono::seconds(1), std::chrono::minutes(10), Scale::log},
        "A task younger than this counts with its demand; and use counts as recent for so long."},
};

void append_entries(sched::TrackerParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
