// SPDX-License-Identifier: MIT
#include "sim/scenario/workload_params.h"

#include <algorithm>
#include <cmath>

#include "overlay/params/param_table.h"

namespace dunlin::sim {

std::uint32_t milli_cpu(double cpus) {
  return static_cast<std::uint32_t>(std::lround(cpus * 1000));
}

sched::Resources demand_of(const WorkloadParams& params) {
  return {.cpu = milli_cpu(params.task_cpu), .memory = params.task_memory, .custom = {}};
}

sched::Resources largest_demand_of(const WorkloadParams& params) {
  return {.cpu = milli_cpu(std::max(params.task_cpu, params.task_cpu_max)),
      .memory = std::max(params.task_memory, params.task_memory_max),
      .custom = {}};
}

}  // namespace dunlin::sim

namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<sim::WorkloadParams> = "workload";
template <>
inline constexpr auto kParams<sim::WorkloadParams> = std::tuple{
    Param<&sim::WorkloadParams::kind>{{},
        "Jobs drawn by chance, as this section says; those of a trace in the format named; or "
        "classes: "
        "each has jobs under way all the time, as section classes says; mapreduce: jobs of two "
        "stages, as that section says."},
    Param<&sim::WorkloadParams::load>{{0.01, 2.0},
        "Share of all slots that the jobs would keep busy. A slot is room for one task."},
    Param<&sim::WorkloadParams::job_gap>{{std::chrono::seconds(0), std::chrono::hours(1)},
        "A job arrives each time this has passed, whatever the load. 0: by chance, as the load "
        "says."},
    Param<&sim::WorkloadParams::estimates>{
        {}, "Jobs say how long their tasks take on average, as `--duration` does."},
    Param<&sim::WorkloadParams::jobs_max>{
        {0, std::numeric_limits<std::int64_t>::max()}, "Only so many jobs. 0: all."},
    Param<&sim::WorkloadParams::tasks_per_job>{
        {1, 1000000, Scale::log}, "Tasks of each job.", "Ousterhout 2013, figure 5"},
    Param<&sim::WorkloadParams::task_time>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "Mean duration of a task."},
    Param<&sim::WorkloadParams::durations>{{},
        "Drawn once per job or for each task; the same for all; or rising within each job, from "
        "a quarter of the mean to 5/4 of it, which its second half takes.",
        "light tasks first: Lin 2014, section 6.2"},
    Param<&sim::WorkloadParams::tail>{{},
        "The distribution of durations: pareto has a heavy tail, cut off at pareto_spread times "
        "the shortest."},
    Param<&sim::WorkloadParams::pareto_shape>{
        {0.1, 10.0, Scale::log}, "The smaller, the heavier the tail.", "1.5: Harchol-Balter 1997"},
    Param<&sim::WorkloadParams::pareto_spread>{
        {1.1, 1e9, Scale::log}, "The longest duration as a multiple of the shortest."},
    Param<&sim::WorkloadParams::burst>{{1.0, 100.0},
        "Jobs arrive so many times as fast during bursts, and slower in between: the load stays. "
        "At most burst_period / burst_length. 1: no bursts."},
    Param<&sim::WorkloadParams::burst_length>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log}, "Of a burst."},
    Param<&sim::WorkloadParams::burst_period>{
        {std::chrono::milliseconds(1), std::chrono::hours(24), Scale::log},
        "From the beginning of a burst to that of the next."},
    Param<&sim::WorkloadParams::deadline>{{std::chrono::seconds(0), std::chrono::hours(24 * 365)},
        "The deadline of each job drawn by chance, after its submit. 0: none. Those of traces: "
        "trace.deadline_factor."},
    Param<&sim::WorkloadParams::priority_max>{
        {0, 99}, "The priority of each job is drawn by chance, from 0 to this."},
    Param<&sim::WorkloadParams::task_cpu>{{0.001, 1024, Scale::log}, "CPUs a task asks for."},
    Param<&sim::WorkloadParams::task_memory>{{0, 1 << 24}, "MiB a task asks for."},
    Param<&sim::WorkloadParams::task_cpu_max>{{0.0, 1024.0},
        "Jobs differ in size: each draws its CPUs between task_cpu and this, evenly on a scale of "
        "powers. 0: all alike."},
    Param<&sim::WorkloadParams::task_memory_max>{
        {0, 1 << 24}, "Likewise for memory, which is drawn apart from the CPUs. 0: all alike."},
    Param<&sim::WorkloadParams::frontends>{
        {0, 1000000}, "Peers that users submit jobs to, the first ones. Traces too. 0: all."},
    Param<&sim::WorkloadParams::constrained>{{0.0, 1.0},
        "Share of the jobs whose tasks demand attributes of machines, if cluster.constraints gives "
        "them any. Traces too.",
        "Sharma 2011"},
    Param<&sim::WorkloadParams::first_job>{{std::chrono::seconds(0), std::chrono::hours(1)},
        "Simulated time from which on jobs arrive: the peers get to know each other first."},
};

void append_entries(sim::WorkloadParams& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
