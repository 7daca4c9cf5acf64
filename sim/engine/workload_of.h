// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "overlay/result.h"
#include "sim/scenario/classes.h"
#include "sim/scenario/fleet.h"
#include "sim/scenario/scenario.h"
#include "sim/workload/trace_workload.h"

// The workload that a scenario asks for.
namespace dunlin::sim {

/// The workload of a scenario that has a trace; null if it has none. Fails if the trace is not
/// there, or is malformed.
Result<std::unique_ptr<TraceWorkload>> open_trace_of(const Scenario& scenario);

/// The workload of a scenario that has no trace: jobs drawn by chance, or those of `classes`.
std::unique_ptr<Workload> drawn_workload(const Scenario& scenario,
    const Fleet& machines,
    const std::vector<WorkloadClass>& classes,
    Time end,
    Rng rng);

/// The share of all slots that the jobs would keep busy if nothing ran late; above 1 queues grow.
/// `trace` is the scenario's; without it a trace counts by its target_load. 0 where jobs come as
/// others end.
double offered_load_of(const Scenario& scenario, const TraceWorkload* trace);

/// Tasks that come in a second, on average; 0 where they come as others end, or where a trace is
/// not given.
double task_rate_of(const Scenario& scenario, const TraceWorkload* trace);

}  // namespace dunlin::sim
