// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sim/workload/workload.h"

namespace dunlin::sim {

/// True if a group of the job waits for another.
bool has_stages(const sched::Job& job);

/// The stages of a job as jobs of one group each, for schedulers that know no order of groups: each
/// waits for those before it by its `parents`. A job without an order of stages is returned as it
/// is.
std::vector<Submission> split_stages(Submission submission);

}  // namespace dunlin::sim
