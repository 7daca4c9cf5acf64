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
  std::vector<std::string> share_set;
  std::vector<std::string> share_remove;
  CellsOptions cells;
  WriteOffOptions write_off;
  std::string shares_cell;
  std::string audit_timeout;
  TopOptions top;
  ParamsOptions params;
  KeygenOptions keygen;
  std::string shell;
  std::vector<std::string> help;  ///< The command to describe; empty: the program.
  node::AgentCommand agent;
  node::DevCommand dev;
};

/// Adds every command to `app`, which reads its words into `invocation`; both must stay where they
/// are. With `only`, the other commands are but names: describing hundreds of flags that nobody
/// asked for takes longer than most commands do.
void add_commands(CLI::App& app, Invocation& invocation, std::string_view only = "");

}  // namespace dunlin::cli
