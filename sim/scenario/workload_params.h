// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "overlay/params.h"
#include "overlay/time.h"
#include "sched/resources.h"

namespace dunlin::sim {

using overlay::Duration;

/// The formats of traces. The first and the last two are none: jobs are drawn by chance, or come as
/// others end.
enum class WorkloadKind : std::uint8_t {
  synthetic,
  tr,
  swf,
  alibaba,
  cloudera,
  requests,
  classes,
  mapreduce,
};
constexpr bool is_trace(WorkloadKind kind) {
  return kind > WorkloadKind::synthetic && kind < WorkloadKind::classes;
}

/// The scope in which a duration is drawn.
enum class Durations : std::uint8_t {
  per_job,
  per_task,
  constant,
  rising,  ///< Not drawn: from a quarter of the mean for a job's first tasks up to 5/4, which
           ///< its second half takes.
};

/// The distribution of durations around their mean.
enum class Tail : std::uint8_t { exponential, pareto };

struct WorkloadParams {
  WorkloadKind kind = WorkloadKind::synthetic;
  double load = 0.8;
  Duration job_gap{0};
  std::uint64_t jobs_max = 0;
  std::uint32_t tasks_per_job = 100;
  Duration task_time = std::chrono::seconds(1);
  Durations durations = Durations::per_job;
  Tail tail = Tail::exponential;
  double pareto_shape = 1.5;
  double pareto_spread = 1000;
  double burst = 1;
  Duration burst_length = std::chrono::seconds(1);
  Duration burst_period = std::chrono::seconds(10);
  Duration deadline{0};
  std::uint32_t priority_max = 0;
  double task_cpu = 1;
  std::uint32_t task_memory = 256;
  double task_cpu_max = 0;
  std::uint32_t task_memory_max = 0;
  std::uint32_t frontends = 0;
  double constrained = 0.5;
  bool estimates = true;
  Duration first_job = std::chrono::seconds(5);
};

/// The number of peers, of so many, that jobs are submitted to.
constexpr std::uint32_t frontends_of(const WorkloadParams& params, std::size_t peers) {
  const auto all = static_cast<std::uint32_t>(peers);
  return params.frontends == 0 ? all : std::min(params.frontends, all);
}

/// So many CPUs as demands state them, rounded.
std::uint32_t milli_cpu(double cpus);

/// The demand of one task of this workload: the least, where they differ ...
sched::Resources demand_of(const WorkloadParams& params);
/// ... and the greatest.
sched::Resources largest_demand_of(const WorkloadParams& params);

}  // namespace dunlin::sim

namespace dunlin::overlay {
template <>
inline constexpr std::string_view kWords<sim::WorkloadKind>[] = {
    "synthetic", "tr", "swf", "alibaba", "cloudera", "requests", "classes", "mapreduce"};
template <>
inline constexpr std::string_view kWords<sim::Durations>[] = {
    "per_job", "per_task", "constant", "rising"};
template <>
inline constexpr std::string_view kWords<sim::Tail>[] = {"exponential", "pareto"};
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
}  // namespace dunlin::overlay
