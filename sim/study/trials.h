// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "overlay/result.h"
#include "sim/study/plan.h"

namespace dunlin::sim {

/// One run of the simulator: a process of its own.
struct Trial {
  /// The place of its combination among planned_combinations().
  std::size_t combination = 0;
  std::uint64_t run = 1;  ///< The number of the replication: --RngRun.
  Settings settings;      ///< All differences from the scenario's file.
  std::string output;     ///< The JSON file that it writes.
};

/// A study: a scenario, its variations, and the folder of results.
struct Study {
  std::string file;  ///< The scenario's file.
  std::string text;  ///< The file's text.
  std::string title;
  StudyPlan plan;
  Settings settings;                     ///< Settings for all trials.
  std::string folder;                    ///< The folder of results.
  std::string build;                     ///< The name of the program that runs the trials.
  std::vector<std::uint32_t> runs = {};  ///< By combination; empty: as the plan says.
};

/// All trials, combination by combination. A trial's output is named by all that determines it (see
/// TrialNames), so that changed trials run anew and others do not.
std::vector<Trial> trials_of(const Study& study);

/// The words that run a trial with `program`.
std::vector<std::string> command_of(
    const Study& study, const Trial& trial, const std::string& program);
/// The same for a shell.
std::string shell_command_of(const Study& study, const Trial& trial, const std::string& program);

/// Results in the study's folder that belong to none of `trials`: of another build, or of other
/// settings.
std::size_t other_results(const Study& study, const std::vector<Trial>& trials);

/// True if the output of `trial` is there, and whole.
bool is_done(const Trial& trial);

/// The place where trials run.
enum class Runner : std::uint8_t { here, dunlin, slurm };

struct RunnerOptions {
  Runner runner = Runner::here;
  unsigned at_once = 0;  ///< Processes on this machine; 0: one per processor.
  bool quiet = false;
};

/// Runs the trials that are not done; true if all are done then. Fails after all have ended if some
/// failed; the others are kept. Slurm only receives the trials: then false.
Result<bool> run_trials(
    const Study& study, const std::vector<Trial>& trials, const RunnerOptions& options);

}  // namespace dunlin::sim
