// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace dunlin::bench {

struct LiveOptions {
  std::string json;       ///< Where to write the figures; empty: nowhere.
  unsigned tasks = 5000;  ///< Of `true`, each time.
  unsigned repeat = 3;    ///< The median of so many runs counts.
  unsigned starts = 200;  ///< Single submits whose start is timed.
  unsigned rest_seconds = 20;
};

/// Agents on this machine: throughput against xargs, start latency, cost at rest.
/// Source: design, section 8. Throws std::runtime_error if something does not run.
void measure_live(const LiveOptions& options);

}  // namespace dunlin::bench
