// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/resources.h"
#include "sim/simulation_params.h"

namespace dunlin::sim {

/// What the largest machine has.
sched::Resources largest_machine(const ClusterParams& params);

/// What each machine of a cluster has. The same for the same seed; and the first n of a larger
/// cluster are those of one of n.
std::vector<sched::Resources> capacities_of(const ClusterParams& params, std::uint64_t seed);

}  // namespace dunlin::sim
