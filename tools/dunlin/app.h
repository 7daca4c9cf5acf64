// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "overlay/result.h"
#include "tools/dunlin/grammar.h"

namespace dunlin::cli {

/// One of our programs: its commands, and what it does for those that run agents or a
/// gateway of the web.
struct Program {
  std::span<const Command> commands;
  std::function<Result<int>(const node::AgentCommand&)> run_agent = {};
  std::function<Result<int>(const node::DevCommand&)> run_dev = {};
  std::string_view unnamed = {};  ///< The command of a line that names none; empty: none.
  std::function<Result<int>(const web::WebOptions&)> run_web = {};
  std::function<Result<int>(const web::LoginWish&)> run_login = {};
};

/// The command line: parses it, runs the command, reports errors, and returns the exit status.
/// The status is one of tools/dunlin/exit_status.h, or that of what a task did.
int run(int argc, char** argv, const Program& program);

}  // namespace dunlin::cli
