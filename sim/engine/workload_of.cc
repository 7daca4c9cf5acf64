// SPDX-License-Identifier: MIT
#include "sim/engine/workload_of.h"

#include "overlay/ensure.h"
#include "sim/scenario/machines.h"
#include "sim/workload/class_workload.h"
#include "sim/workload/map_reduce.h"
#include "sim/workload/synthetic.h"

namespace dunlin::sim {

Result<std::unique_ptr<TraceWorkload>> open_trace_of(const Scenario& scenario) {
  if (!is_trace(scenario.workload.kind)) return nullptr;
  auto workload = TraceWorkload::open({.params = scenario.trace,
      .kind = scenario.workload.kind,
      .machines = machines_of(scenario.cluster, scenario.chance()),
      .profile = scenario.cluster.constraints,
      .frontends = scenario.workload.frontends,
      .constrained = scenario.workload.constrained,
      .demand = demand_of(scenario.workload),
      .first_job = Time{scenario.workload.first_job},
      .end = Time{scenario.simulation.duration},
      .seed = scenario.chance()});
  if (!workload) return tl::unexpected(workload.error());
  return std::make_unique<TraceWorkload>(*std::move(workload));
}

std::unique_ptr<Workload> drawn_workload(const Scenario& scenario,
    const Fleet& machines,
    const std::vector<WorkloadClass>& classes,
    Time end,
    Rng rng) {
  if (scenario.workload.kind == WorkloadKind::classes) {
    return std::make_unique<ClassWorkload>(
        scenario.workload, classes, scenario.classes.backlog, scenario.cluster.peers, end, rng);
  }
  if (scenario.workload.kind == WorkloadKind::mapreduce) {
    return std::make_unique<MapReduceWorkload>(
        scenario.workload, scenario.map_reduce, machines, rng);
  }
  ensure(scenario.workload.kind == WorkloadKind::synthetic, "a trace that nobody opened");
  return std::make_unique<SyntheticWorkload>(scenario.workload,
      SyntheticWorkload::Setting{
          .machines = machines, .profile = scenario.cluster.constraints, .end = end},
      rng);
}

double offered_load_of(const Scenario& scenario, const TraceWorkload* trace) {
  // A trace that is at hand has been stretched already, so what it really offers is known.
  if (trace != nullptr) return trace->offered_load();
  if (is_trace(scenario.workload.kind)) return scenario.trace.target_load;
  // They answer to ends, or list their arrivals: no rate says what load that is.
  if (scenario.workload.kind >= WorkloadKind::classes) return 0;
  return synthetic_load(scenario.workload, machines_of(scenario.cluster, scenario.chance()));
}

double task_rate_of(const Scenario& scenario, const TraceWorkload* trace) {
  if (trace != nullptr) {
    const double seconds = std::chrono::duration<double>(trace->length()).count();
    return seconds > 0 ? static_cast<double>(trace->survey().tasks) / seconds : 0;
  }
  if (scenario.workload.kind != WorkloadKind::synthetic) return 0;
  return synthetic_task_rate(scenario.workload, machines_of(scenario.cluster, scenario.chance()));
}

}  // namespace dunlin::sim
