// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace dunlin::bench {

struct ClientOptions {
  std::string json;         ///< Where to write the figures; empty: nowhere.
  unsigned submits = 2000;  ///< Timed submits while the agent stands still, and those of the kills.
  unsigned jobs = 10'000;   ///< Jobs of one task that the library submits.
  unsigned loop = 300;      ///< Jobs that a loop of `dunlin submit --quiet` submits.
};

/// Measures libdunlin with agents on this machine: how long a submit holds up the program, jobs a
/// second against a loop of the command line, and what becomes of jobs while the agent is killed
/// again and again. Throws std::runtime_error if something does not run.
void measure_client(const ClientOptions& options);

}  // namespace dunlin::bench
