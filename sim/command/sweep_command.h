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
  /// Words that override those of [sweep]; empty: what stands there.
  std::string design;
  /// "key=value" for all runs, before those of the axes: an axis has the last word.
  std::vector<std::string> settings;
  /// Runs of each combination; with `until` those of the first round.
  std::optional<std::uint32_t> replications;
  std::string measure;
  std::string until;             ///< "5%": see StudyPlan::until.
  std::uint32_t runs_max = 100;  ///< The most runs of a combination that `until` may make.
  std::string picture;
  /// Of results; empty: results/NAME, below the working folder.
  std::string folder;
  /// Where trials run: here, on a cluster of Dunlin, or by Slurm.
  std::string on = "here";
  /// Processes at a time, `here`; 0: one for each processor.
  unsigned at_once = 0;
  bool print_commands = false;
  bool quiet = false;
};

/// Runs the rest of a study, then writes summary.csv, summary.json, runs.csv and pictures into its
/// folder, and prints the table.
Result<void> sweep(const SweepOptions& options);

}  // namespace dunlin::sim
