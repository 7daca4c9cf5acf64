// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/command/compare_command.h"
#include "sim/command/run_command.h"
#include "sim/command/self_commands.h"
#include "sim/command/sweep_command.h"

namespace CLI {
class App;
}

namespace dunlin::sim {

/// The meaning of one command line of dunlin-sim. The parser writes into it.
struct SimInvocation {
  RunOptions run;
  SweepOptions sweep;
  CompareOptions compare;
  CompletionOptions completion;
  ManOptions man;
  std::string described;  ///< The scenario to describe.
  std::string folder;     ///< Whose scenarios are listed; empty: those that come with Dunlin.
};

/// Describes all commands of dunlin-sim to `app`, which reads its words into `on`; neither may
/// move.
void describe_program(CLI::App& app, SimInvocation& on);

}  // namespace dunlin::sim
