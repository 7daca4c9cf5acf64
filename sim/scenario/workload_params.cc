// SPDX-License-Identifier: MIT
#include "sim/scenario/workload_params.h"

#include <algorithm>
#include <cmath>

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
