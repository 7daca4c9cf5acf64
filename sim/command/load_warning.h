// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/engine/workload_of.h"
#include "sim/scenario/scenario.h"
#include "sim/study/trials.h"

namespace dunlin::sim {

/// A line for stderr if more work comes than the machines can do, or more tasks than a central
/// scheduler can decide on; else empty. `trace` is the
/// scenario's, or null.
std::string load_warning(const Scenario& scenario, const TraceWorkload* trace);

/// The same for all combinations of a study that can be read, in one line. Traces count by
/// `trace.target_load` alone.
std::string load_warning(const Study& study);

}  // namespace dunlin::sim
