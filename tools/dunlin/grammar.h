// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/dunlin/commands/commands.h"
#include "web/gateway/web_options.h"

namespace CLI {
class App;
}

namespace dunlin::cli {

/// The meaning of one command line. The parser writes into it.
struct Invocation {
  /// The flags that all commands share.
  Globals globals;
  std::function<Result<int>()> action;  ///< Empty if no command was named.

  /// A place for the options of each command, as only one of them is filled.
  RunOptions run;
  RunOptions submit;
  JobsOptions jobs;
  JobOptions job;
  std::string explain = "last";
  WaitOptions wait;
  LogsOptions logs;
  std::vector<std::string> cancel;
  std::vector<std::string> requeue;
  /// Of `hold` and of `release`.
  std::vector<std::string> held;
  RetryOptions retry;
  SetOptions set;
  NodesOptions nodes;
  NodeShowOptions node_show;
  OverlayOptions node_overlay;
  /// Of `node forget`.
  std::string forget_node;
  /// `status --users`.
  bool status_users = false;
  MetricsOptions metrics;
  DrainOptions drain;
  TakeOverOptions take_over;
  std::vector<std::string> share_set;
  std::vector<std::string> share_remove;
  PlanOptions plan;
  CellsOptions cells;
  WriteOffOptions write_off;
  /// Empty: all cells.
  std::string shares_cell;
  std::string audit_timeout;
  AuditLogOptions audit_log;
  EventsOptions events;
  UsageOptions usage;
  ProfileOptions profile;
  TopOptions top;
  ParamsOptions params;
  LaunchOptions launch;
  KeygenOptions keygen;
  MeasureDiskOptions measure_disk;
  IdentityOptions identity;
  std::string shell;
  std::string completion_names;   ///< The names that a script asks for, in place of a script.
  std::vector<std::string> man;   ///< The command whose page is printed; empty: the program.
  std::string man_folder;         ///< Where all pages are written; empty: nowhere.
  std::vector<std::string> help;  ///< The command to describe; empty: the program.
  node::AgentCommand agent;
  node::DevCommand dev;
  web::WebOptions web;
  web::LoginWish web_login;
  bool web_tokens = false;  ///< List them.

  // What the program does for `agent`, `dev` and `web`.
  std::function<Result<int>(const node::AgentCommand&)> run_agent;
  std::function<Result<int>(const node::DevCommand&)> run_dev;
  std::function<Result<int>(const web::WebOptions&)> run_web;
  std::function<Result<int>(const web::LoginWish&)> run_login;
};

/// A command of the line, and how to describe its flags.
/// `fill` adds the flags of the command to its parser and binds them to places of an Invocation,
/// which outlives the parse. It does nothing else: help, completion and manual call all of them.
struct Command {
  const char* name;
  const char* help;
  const char* group;
  void (*fill)(CLI::App&, Invocation&);
};

// The headings of the help, in its order.
inline constexpr const char* kUse = "Use";
inline constexpr const char* kWatch = "Watch";
inline constexpr const char* kOperate = "Operate";

/// The commands of `dunlin`.
std::span<const Command> all_commands();

/// Adds `commands` to `app`, which reads its words into `invocation`; neither may move. With
/// `only`, the other commands get no flags: describing hundreds of flags that the line does not use
/// takes longer than most commands do.
void add_commands(CLI::App& app,
    Invocation& invocation,
    std::span<const Command> commands,
    std::string_view only = "");

}  // namespace dunlin::cli
