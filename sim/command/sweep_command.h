// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "overlay/result.h"
#include "sim/study/trials.h"

namespace dunlin::sim {

/// The options of `dunlin-sim sweep`.
struct SweepOptions {
  std::string file;               ///< As for find_scenario().
  std::vector<std::string> axes;  ///< In place of the scenario's own.
  std::string design;
  std::vector<std::string> settings;
  std::optional<std::uint32_t> replications;
  std::string measure;
  std::string until;             ///< "5%": see StudyPlan::until.
  std::uint32_t runs_max = 100;  ///< The most runs of a combination that `until` may make.
  std::string picture;
  std::string folder;
  std::string on = "here";
  unsigned at_once = 0;
  bool print_commands = false;
  bool quiet = false;
};

/// Runs the rest of a study, then writes summary.csv, summary.json, runs.csv and pictures into its
/// folder, and prints the table.
Result<void> sweep(const SweepOptions& options);

}  // namespace dunlin::sim
