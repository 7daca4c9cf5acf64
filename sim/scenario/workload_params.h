// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "overlay/params.h"
#include "overlay/time.h"
#include "sched/resources.h"

namespace dunlin::sim {

using overlay::Duration;

/// The formats of traces. The first and the last two are none: jobs are drawn by chance, or come as
/// others end.
enum class WorkloadKind : std::uint8_t {
  /// Drawn by chance: see SyntheticWorkload.
  synthetic,
  /// Of the simulators of Hawk, Eagle, Pigeon and Megha.
  tr,
  /// The Standard Workload Format of the Parallel Workloads Archive.
  swf,
  /// Alibaba's trace of 2018: stages with an order.
  alibaba,
  /// Jobs of maps and reduces, with the bytes that they moved.
  cloudera,
  /// A class and a duration a line.
  requests,
  /// No trace: see ClassWorkload, ...
  classes,
  /// ... and MapReduceWorkload.
  mapreduce,
};
constexpr bool is_trace(WorkloadKind kind) {
  return kind > WorkloadKind::synthetic && kind < WorkloadKind::classes;
}

/// The scope in which a duration is drawn.
enum class Durations : std::uint8_t {
  /// One draw for all tasks of a job: jobs differ, their tasks do not.
  per_job,
  /// A draw for each task: then the longest of many decides when its job ends.
  per_task,
  /// All tasks take task_time.
  constant,
  rising,  ///< Not drawn: from a quarter of the mean for a job's first tasks up to 5/4, which
           ///< its second half takes.
};

/// The distribution of durations around their mean.
enum class Tail : std::uint8_t { exponential, pareto };

/// Jobs that are drawn by chance; of traces, what a log does not say: demands and frontends.
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

/// See overlay/params.h.
void append_entries(sim::WorkloadParams& params, std::vector<ParamEntry>& entries);
}  // namespace dunlin::overlay
