// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "overlay/result.h"

namespace dunlin::sim {

/// The words of `dunlin-sim run`.
struct RunOptions {
  std::string file;  ///< As for find_scenario().
  /// "key=value", in the order in which they are applied: the last one of a parameter counts.
  std::vector<std::string> settings;
  /// Seed, run, folder of traces and strictness override the scenario's, and --set.
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> run;
  std::string data;
  bool strict = false;
  /// Where figures go, pictures beside them; empty: nowhere, as for the next three.
  std::string json;
  /// A folder, made if it is missing.
  std::string csv;
  /// Each message and event as text, a line each: large.
  std::string trace;
  std::string events;  ///< Likewise all that figures are made of.
  /// Neither a bar of progress nor what the run cost.
  bool quiet = false;
  bool no_plots = false;
};

/// The title of a scenario of which some settings were changed: it may tell of what these were
/// before. Empty if there is none.
std::string title_with(const std::string& title, std::span<const std::string> settings);

/// Runs a scenario and prints its figures on stdout, which the same seed prints the same on any
/// machine; what the run cost goes to stderr. Fails before it runs if a file that it is to write
/// cannot be.
Result<void> run(const RunOptions& options);

}  // namespace dunlin::sim
