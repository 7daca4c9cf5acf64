// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "tools/dunlin/commands/commands.h"

namespace CLI {
class App;
}

namespace dunlin::cli {

/// What the words of one command line mean. The command line is read into it.
struct Invocation {
  Globals globals;
  std::function<Result<int>()> action;  ///< Empty if no command was named.

  RunOptions run;
  RunOptions submit;
  JobsOptions jobs;
  JobOptions job;
  std::string explain = "last";
  WaitOptions wait;
  LogsOptions logs;
  std::vector<std::string> cancel;
  bool nodes_quiet = false;
  DrainOptions drain;
  TopOptions top;
  ParamsOptions params;
  KeygenOptions keygen;
  std::string shell;
  node::AgentCommand agent;
  node::DevCommand dev;
};

/// Adds every command to `app`, which reads its words into `invocation`; both must stay where they
/// are.
void add_commands(CLI::App& app, Invocation& invocation);

}  // namespace dunlin::cli
