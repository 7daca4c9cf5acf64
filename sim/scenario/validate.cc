// SPDX-License-Identifier: MIT
#include "overlay/params/clash.h"
#include "sched/resources.h"
#include "sim/scenario/machines.h"
#include "sim/scenario/scenario.h"

// What no single parameter can tell: combinations without meaning.
namespace dunlin::sim {
namespace {

Result<void> validate_classes(const Scenario& scenario) {
  const auto classes = classes_of(scenario.classes);
  if (!classes) return tl::unexpected(classes.error());
  if (scenario.workload.kind == WorkloadKind::classes && classes->empty()) {
    return failure(ErrorKind::usage,
        "workload.kind = \"classes\" needs some: set classes.shares, as \"web=5, batch=3\"");
  }
  if (classes->empty()) return {};
  if (is_baseline(scenario.baseline.scheduler) && scenario.baseline.scheduler != Scheduler::megha) {
    return failure(ErrorKind::usage,
        "classes.shares: a baseline has no cells; set baseline.scheduler to dunlin, sampling, "
        "gradient or megha");
  }
  for (const WorkloadClass& each : *classes) {
    if (!each.at || *each.at < frontends_of(scenario.workload, scenario.cluster.peers)) continue;
    return failure(ErrorKind::usage,
        "classes.at: " + each.name + " is at a frontend that is none: they count from 0, and " +
            "workload.frontends says how many there are");
  }
  if (scenario.classes.set_at >= scenario.simulation.duration) {
    return overlay::clash("classes.set_at", scenario.classes.set_at, "must be earlier than",
        "simulation.duration", scenario.simulation.duration);
  }
  return sched::validate(scenario.peer.sharing);
}

Result<void> validate_masters(const Scenario& scenario) {
  if (scenario.baseline.scheduler != Scheduler::megha) return {};
  if (scenario.workload.frontends == 0 || scenario.workload.frontends > scenario.cluster.peers) {
    return failure(ErrorKind::usage,
        "baseline.scheduler = \"megha\": set workload.frontends to the number of global masters, "
        "at most cluster.peers");
  }
  if (scenario.baseline.dispatch == MeghaDispatch::tasks && !scenario.classes.at.empty()) {
    return failure(ErrorKind::usage,
        "baseline.dispatch = \"tasks\" chooses masters by the tasks of jobs, classes.at by their "
        "class: leave one of them out");
  }
  // A local master without a machine would verify nothing.
  if (scenario.cluster.cells > scenario.cluster.peers) {
    return overlay::clash("cluster.cells", scenario.cluster.cells,
        "are local masters, at most one for each of", "cluster.peers", scenario.cluster.peers);
  }
  return {};
}

/// Cells that stand from the start.
Result<void> validate_cells(const Scenario& scenario) {
  const ClusterParams& cluster = scenario.cluster;
  if (cluster.start != Start::celled || is_baseline(scenario.baseline.scheduler)) return {};
  if (scenario.peer.sharing.cell.sharing == sched::SharingMode::none) {
    return failure(ErrorKind::usage,
        "cluster.start = \"celled\" needs cells: set cell.sharing to bank or cluster_reserves");
  }
  // The bounds of cell.cell_size.
  constexpr std::uint32_t kSizeMin = 2;
  constexpr std::uint32_t kSizeMax = 8192;
  const bool fits = cluster.peers >= kSizeMin * cluster.cells &&
      cluster.peers <= std::uint64_t{kSizeMax} * cluster.cells;
  if (!fits) {
    return failure(ErrorKind::usage,
        "cluster.cells: a cell has 2 to 8192 nodes, so " + std::to_string(cluster.cells) +
            " are too many or too few for cluster.peers (" + std::to_string(cluster.peers) + ")");
  }
  return {};
}

/// A plan is of slots, each of which has room for any task.
Result<void> validate_plan(const Scenario& scenario) {
  const BaselineParams& baseline = scenario.baseline;
  if (baseline.plan && is_baseline(baseline.scheduler)) {
    return failure(ErrorKind::usage,
        "baseline.plan: the managers of peers plan, and a baseline has none: set "
        "baseline.scheduler to dunlin, sampling or gradient");
  }
  if (baseline.plan && baseline.spare == MasterSpare::none) {
    return failure(ErrorKind::usage,
        "baseline.spare: managers of peers leave no slot idle: set it to priority or deadline");
  }
  if (baseline.plan && scenario.peer.sharing.cell.sharing == sched::SharingMode::none) {
    return failure(ErrorKind::usage,
        "baseline.plan needs cells: set cell.sharing to bank or cluster_reserves");
  }
  if (!plans_slots(scenario.baseline.scheduler)) return {};
  const WorkloadParams& workload = scenario.workload;
  if (workload.task_cpu_max > workload.task_cpu ||
      workload.task_memory_max > workload.task_memory || workload.kind == WorkloadKind::alibaba) {
    return failure(ErrorKind::usage,
        "baseline.scheduler: master, edf and edf_preempt divide slots, and need tasks of one size: "
        "leave workload.task_cpu_max and task_memory_max 0, and take a trace without demands");
  }
  // A slot of the plan is any machine's: a task that may not run there would never start.
  if (scenario.cluster.constraints != ConstraintProfile::none) {
    return failure(ErrorKind::usage,
        "baseline.scheduler: master, edf and edf_preempt know no constraints: set "
        "cluster.constraints to none");
  }
  return {};
}

Result<void> validate_trace(const Scenario& scenario) {
  const WorkloadKind kind = scenario.workload.kind;
  if (is_trace(kind) && scenario.trace.file.empty()) {
    return failure(ErrorKind::usage, "trace.file: workload.kind says a trace, but which?");
  }
  if (scenario.trace.resample_block > 0 &&
      (scenario.trace.sample < 1 || scenario.trace.start > 0)) {
    return failure(ErrorKind::usage,
        "trace.resample_block draws blocks of the whole trace: leave trace.sample at 1 and "
        "trace.start at 0, or set it to 0");
  }
  if (scenario.trace.rates == TraceRates::drawn && !scenario.trace.whole) {
    return failure(ErrorKind::usage,
        "trace.rates = \"drawn\" draws for the groups of whole jobs: set trace.whole, too");
  }
  if (scenario.trace.rates == TraceRates::bytes && kind != WorkloadKind::cloudera) {
    return failure(ErrorKind::usage,
        "trace.rates = \"bytes\" needs a trace that tells bytes: workload.kind = \"cloudera\"");
  }
  return {};
}

}  // namespace

Result<void> validate(const Scenario& scenario) {
  const sched::Resources demand = largest_demand_of(scenario.workload);
  const sched::Resources largest = largest_machine(scenario.cluster);
  const auto& workload = scenario.workload;
  if (auto sound = validate_trace(scenario); !sound) return sound;
  if (workload.burst * static_cast<double>(workload.burst_length.count()) >
      // Without bursts their length does not matter, whatever it is.
      static_cast<double>(workload.burst_period.count())) {
    if (workload.burst > 1) {
      return failure(ErrorKind::usage,
          "workload.burst must be at most workload.burst_period / workload.burst_length: more jobs "
          "than all cannot come in bursts");
    }
  }
  if (auto sound = validate(scenario.map_reduce); !sound) return sound;
  // Such a job would wait for ever, and the run end with nothing in its figures.
  if (!sched::fits(demand, sched::all_of(largest))) {
    return failure(ErrorKind::usage,
        "a task of " + sched::to_string(demand) + " fits no peer of " + sched::to_string(largest) +
            ": lower workload.task_cpu or task_memory (or their maximum), or raise cluster.cpus or "
            "memory");
  }
  const auto& run = scenario.simulation;
  if (run.warm_up >= run.duration) {
    return overlay::clash("simulation.warm_up", run.warm_up, "must be shorter than",
        "simulation.duration", run.duration);
  }
  if (scenario.workload.first_job >= run.duration) {
    return overlay::clash("workload.first_job", scenario.workload.first_job, "must be earlier than",
        "simulation.duration", run.duration);
  }
  if (records(scenario.network) && is_baseline(scenario.baseline.scheduler)) {
    return failure(ErrorKind::usage,
        "network.pcap, flow_monitor and animation record what peers send, and a baseline has none: "
        "set baseline.scheduler to dunlin, sampling or gradient");
  }
  if (const auto speeds = speeds_of(scenario.cluster); !speeds) {
    return tl::unexpected(speeds.error());
  }
  if (workload.durations == Durations::rising && workload.kind != WorkloadKind::synthetic) {
    return failure(ErrorKind::usage,
        "workload.durations = \"rising\" is for workload.kind = \"synthetic\": choose another");
  }
  if (auto sound = validate_plan(scenario); !sound) return sound;
  if (auto sound = validate_classes(scenario); !sound) return sound;
  if (auto sound = validate_masters(scenario); !sound) return sound;
  if (auto sound = validate_cells(scenario); !sound) return sound;
  return validate(scenario.network, scenario.cluster.peers);
}

}  // namespace dunlin::sim
