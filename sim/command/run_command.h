// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "overlay/result.h"

namespace dunlin::sim {

/// The words of `dunlin-sim run`.
struct RunOptions {
  std::string file;  ///< As for find_scenario().
  std::vector<std::string> settings;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> run;
  std::string data;
  bool strict = false;
  std::string json;
  std::string csv;
  std::string trace;
  std::string events;  ///< Likewise all that figures are made of.
  bool quiet = false;
  bool no_plots = false;
};

/// Runs a scenario and prints its figures on stdout, which the same seed prints the same on any
/// machine; what the run cost goes to stderr. Fails before it runs if a file that it is to write
/// cannot be.
Result<void> run(const RunOptions& options);

}  // namespace dunlin::sim
