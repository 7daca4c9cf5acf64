// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace dunlin::bench {

/// The measurements of agents on this machine, and their number.
struct LiveOptions {
  std::string json;       ///< Where to write the figures; empty: nowhere.
  unsigned tasks = 5000;  ///< Tasks of `true` in each run.
  unsigned repeat = 3;    ///< The median of so many runs counts.
  unsigned starts = 200;  ///< Single submits with a timed start.
  /// The time of watching what agents at rest cost.
  unsigned rest_seconds = 20;
  std::string plan;  ///< The policy by which managers plan meanwhile; empty: none do.
  std::vector<std::string> settings;  ///< KEY=VALUE of the agents, as for `dunlin dev --set`.
};

/// Measures agents on this machine: throughput against xargs, latency of starts, cost at rest.
/// Throws std::runtime_error if something does not run.
void measure_live(const LiveOptions& options);

}  // namespace dunlin::bench
