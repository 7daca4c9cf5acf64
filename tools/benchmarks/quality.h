// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace dunlin::bench {

/// A trace in the .tr format and the machines of one slot it is run on.
struct TraceCase {
  std::string file;
  unsigned slots = 0;
  std::string cutoff = "10s";  ///< Jobs whose tasks take longer on average are long.
};

struct QualityOptions {
  std::string json;                   ///< Where to write the figures; empty: nowhere.
  std::string data;                   ///< The folder of traces; empty: beside the source.
  unsigned seconds = 20;              ///< Simulated and measured, of each synthetic run.
  unsigned at_once = 0;               ///< Runs at the same time; 0: one per processor.
  bool synthetic = true;              ///< Sparrow's own workload, against the omniscient bound.
  bool traces = true;                 ///< The four traces that run in a minute ...
  bool all = false;                   ///< ... and the one that does not.
  std::vector<TraceCase> given;       ///< Others.
  std::vector<std::string> settings;  ///< Of the peers, as for `dunlin-sim run --set`.
};

/// Reads the command line after the word `quality`. Throws std::invalid_argument.
QualityOptions quality_options(const std::vector<std::string>& words);

/// Simulated peers: what their placing costs the jobs. Source: design, section 8. Throws
/// std::runtime_error if something does not run.
void measure_quality(const QualityOptions& options);

}  // namespace dunlin::bench
