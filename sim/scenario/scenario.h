// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/param_entries.h"
#include "overlay/result.h"
#include "sched/peer_params.h"
#include "sim/baseline/params.h"
#include "sim/engine/latency.h"
#include "sim/engine/ns3_attributes.h"
#include "sim/measure/measures.h"
#include "sim/scenario/classes.h"
#include "sim/scenario/faults.h"
#include "sim/scenario/simulation_params.h"
#include "sim/study/plan.h"
#include "sim/workload/synthetic.h"
#include "sim/workload/trace_workload.h"

namespace dunlin::sim {

/// All that determines a run.
struct Scenario {
  std::string title;
  SimulationParams simulation;
  ClusterParams cluster;
  NetworkParams network;
  FaultParams faults;
  WorkloadParams workload;
  TraceParams trace;
  BaselineParams baseline;
  ClassParams classes;
  MeasureParams measures;
  sched::PeerParams peer;
  std::vector<Ns3Attribute> attributes;  ///< Defaults of ns-3's objects.
  StudyPlan sweep;                       ///< How `sweep` varies it, unless it is told otherwise.

  /// Whence all chance of a run comes: a stream of its own for each run of a seed.
  std::uint64_t chance() const;
  /// What the peers really run with: their parameters, but for what the scheduler named overrides.
  sched::PeerParams peer_in_effect() const;
};

/// Every parameter, section by section. They borrow `scenario`.
std::vector<overlay::ParamEntry> entries_of(Scenario& scenario);

/// Reads a scenario from TOML: a title, and a table for each section; [attributes] has those of
/// ns-3 by their full names. What is not given has its default. Fails at the first thing wrong, as
/// "file:line:column: what was expected".
Result<Scenario> parse_scenario(std::string_view toml, const std::string& file);
Result<Scenario> load_scenario(const std::string& file);

/// Applies "key=value" settings, as "workload.load=0.9"; a name that only one section has needs no
/// section. Of ns-3's attributes, too: "ns3::UdpSocket::RcvBufSize=262144".
Result<void> apply_settings(Scenario& scenario, std::span<const std::string> settings);

/// Makes the scenario as many times as large as cluster.scale says, which is 1 from then on.
Result<void> apply_scale(Scenario& scenario);

/// What no single parameter can tell: e.g. that a task fits a peer.
Result<void> validate(const Scenario& scenario);

}  // namespace dunlin::sim
