// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace dunlin::bench {

/// A trace in the .tr format and the machines of one slot it is run on.
struct TraceCase {
  std::string file;
  unsigned slots = 0;
  std::string cutoff = "10s";  ///< Jobs are long if the mean of their tasks is longer.
};

/// What is measured, how often, and where to.
struct QualityOptions {
  std::string json;                   ///< Where to write the figures; empty: nowhere.
  std::string data;                   ///< The folder of traces; empty: beside the source.
  unsigned seconds = 20;              ///< Simulated and measured, of each synthetic run.
  unsigned seeds = 1;                 ///< Runs of each trial, with seeds 1, 2, ...
  unsigned at_once = 0;               ///< Runs at the same time; 0: one per processor.
  bool synthetic = true;              ///< Sparrow's own workload, against the omniscient bound.
  bool traces = true;                 ///< The four traces that run in a minute ...
  bool all = false;                   ///< ... and the one that does not.
  std::vector<TraceCase> given;       ///< Others.
  std::vector<std::string> settings;  ///< Parameters of the peers, as for `dunlin-sim run --set`.
};

/// Reads the command line after the word `quality`. Throws std::invalid_argument.
QualityOptions quality_options(const std::vector<std::string>& words);

/// Measures the cost of placement to jobs with simulated peers. Throws std::runtime_error if
/// something does not run.
void measure_quality(const QualityOptions& options);

}  // namespace dunlin::bench
