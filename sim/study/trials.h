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
  std::size_t combination = 0;
  std::uint64_t run = 1;  ///< Which replication: --RngRun.
  Settings settings;      ///< All that differs from the scenario's file.
  std::string output;     ///< The JSON file that it writes.
};

/// A study: a scenario, how it is varied, and where results go.
struct Study {
  std::string file;  ///< Of the scenario.
  std::string text;  ///< What is in it.
  std::string title;
  StudyPlan plan;
  Settings settings;   ///< For all trials.
  std::string folder;  ///< Of results.
};

/// Every trial there is to run, combination by combination. A trial's output is named by all that
/// determines it, so that whatever changes is run anew and the rest is not.
std::vector<Trial> trials_of(const Study& study);

/// The words that run a trial with `program`.
std::vector<std::string> command_of(
    const Study& study, const Trial& trial, const std::string& program);
/// The same for a shell.
std::string shell_command_of(const Study& study, const Trial& trial, const std::string& program);

/// True if the output of `trial` is there, and whole.
bool is_done(const Trial& trial);

/// Who runs the trials.
enum class Runner : std::uint8_t { here, dunlin, slurm };

struct RunnerOptions {
  Runner runner = Runner::here;
  unsigned at_once = 0;  ///< Processes on this machine; 0: one per processor.
  bool quiet = false;
};

/// Runs those trials that are not done; true if all are done then. Fails after all have ended if
/// some failed; those that did not are kept. Slurm is only handed them over: then false.
Result<bool> run_trials(
    const Study& study, const std::vector<Trial>& trials, const RunnerOptions& options);

}  // namespace dunlin::sim
