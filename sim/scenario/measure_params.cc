// SPDX-License-Identifier: MIT
#include "sim/scenario/measure_params.h"

#include "overlay/params/param_table.h"

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sim::MeasureParams> = "measures";
template <>
inline constexpr auto kParams<sim::MeasureParams> = std::tuple{
    Param<&sim::MeasureParams::cutoff>{{std::chrono::seconds(0), std::chrono::hours(24 * 365)},
        "A job is short if its tasks take at most so long on average. 0: jobs are not told apart.",
        "Delgado 2015 (Hawk)"},
    Param<&sim::MeasureParams::slowdown_floor>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "Run time that shorter jobs count as in the slowdown.", "10 s: Feitelson 2001"},
    Param<&sim::MeasureParams::health_period>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "Time between two looks at the overlay's health. 0: it is not looked at."},
    Param<&sim::MeasureParams::health_sample>{{1, 1000000, Scale::log},
        "Peers, by chance, for which that is measured which takes long: paths, clusters, ideals."},
    Param<&sim::MeasureParams::cell_cpu>{
        {}, "The CPU time that peers spend on cells is measured. It depends on the machine."},
    Param<&sim::MeasureParams::plans>{{},
        "Violations of priority, and the slots and running tasks of each job over time. It takes "
        "memory for each task."},
    Param<&sim::MeasureParams::list_at>{{std::chrono::seconds(0), std::chrono::hours(24 * 365)},
        "From then on users list the jobs of the cluster, each at a peer by chance. 0: none does."},
    Param<&sim::MeasureParams::list_period>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "Time between two such lists."},
    Param<&sim::MeasureParams::balance_interval>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "Load balance compares the machines' busy shares over intervals of this length."},
    Param<&sim::MeasureParams::resource_period>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "Time over which use, allocation and over-allocation of each resource are averaged, where "
        "machines have rates. 0: over the whole run only."},
    Param<&sim::MeasureParams::job_records>{{0, 100000},
        "Whole jobs of which the JSON file lists key, submit and completion: `compare` needs "
        "them."},
};

void append_entries(sim::MeasureParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
