// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/param_entries.h"
#include "overlay/result.h"
#include "sched/peer_params.h"
#include "sim/scenario/baseline_params.h"
#include "sim/scenario/classes.h"
#include "sim/scenario/faults.h"
#include "sim/scenario/map_reduce_params.h"
#include "sim/scenario/measure_params.h"
#include "sim/scenario/network_params.h"
#include "sim/scenario/ns3_attributes.h"
#include "sim/scenario/processing_params.h"
#include "sim/scenario/simulation_params.h"
#include "sim/scenario/trace_params.h"
#include "sim/scenario/workload_params.h"

namespace dunlin::sim {

/// All parameters that determine a run.
struct Scenario {
  std::string title;
  /// A section each, in the order in which `dunlin-sim params` lists them.
  SimulationParams simulation;
  ClusterParams cluster;
  NetworkParams network;
  FaultParams faults;
  WorkloadParams workload;
  MapReduceParams map_reduce;
  TraceParams trace;
  BaselineParams baseline;
  ProcessingParams processing;
  ClassParams classes;
  MeasureParams measures;
  /// The sections that agents have as well.
  sched::PeerParams peer;
  std::vector<Ns3Attribute> attributes;  ///< Defaults of ns-3's objects.

  /// The source of all chance of a run: a stream of its own for each run of a seed.
  std::uint64_t chance() const;
  /// The parameters that the peers really run with: their own, but for those that the scheduler
  /// sets.
  sched::PeerParams peer_in_effect() const;
};

/// Every parameter, section by section. The entries borrow `scenario`.
std::vector<overlay::ParamEntry> entries_of(Scenario& scenario);

/// Reads a scenario from TOML: a title, and a table for each section; [attributes] has those of
/// ns-3 by their full names. [sweep] is left to parse_plan(). Missing keys have their defaults.
/// Fails at the first error, as "file:line:column: what was expected".
Result<Scenario> parse_scenario(std::string_view toml, const std::string& file);
Result<Scenario> load_scenario(const std::string& file);

/// Applies "key=value" settings, such as "workload.load=0.9"; a name that only one section has
/// needs no section. Attributes of ns-3 can be set, too: "ns3::UdpSocket::RcvBufSize=262144".
Result<void> apply_settings(Scenario& scenario, std::span<const std::string> settings);

/// Makes the scenario as many times as large as cluster.scale says, which is 1 from then on.
Result<void> apply_scale(Scenario& scenario);

/// Fails for combinations that no single parameter can tell: e.g. a task that fits no peer.
Result<void> validate(const Scenario& scenario);

}  // namespace dunlin::sim
