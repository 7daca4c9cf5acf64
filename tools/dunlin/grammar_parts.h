// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "tools/dunlin/grammar.h"

// The common parts of the descriptions of commands.
namespace dunlin::cli {

/// Runs after the whole line is parsed; returns the exit status.
using CommandAction = std::function<Result<int>()>;

/// Sets the action of `command`.
void does(CLI::App& command, Invocation& on, CommandAction action);
/// Adds --json, for commands that ask no agent.
void add_json(CLI::App& command, Globals& globals);
/// Adds the flag of commands that wait for an agent that goes away.
void add_reconnect(CLI::App& command, Globals& globals);
/// Adds the flags that choose the columns of a table.
void add_columns(CLI::App& command, ColumnChoice& columns);
/// Adds the flags of every command that talks to an agent.
void add_client_flags(CLI::App& command, Globals& globals, bool json = true);

// grammar_launch.cc
void fill_launch(CLI::App& command, Invocation& on);

// grammar_jobs.cc
void fill_jobs(CLI::App& command, Invocation& on);
void fill_job(CLI::App& command, Invocation& on);

// grammar_change.cc
void fill_hold(CLI::App& command, Invocation& on);
void fill_release(CLI::App& command, Invocation& on);
void fill_requeue(CLI::App& command, Invocation& on);
void fill_retry(CLI::App& command, Invocation& on);
void fill_set(CLI::App& command, Invocation& on);

// grammar_watch.cc
void fill_logs(CLI::App& command, Invocation& on);
void fill_events(CLI::App& command, Invocation& on);
void fill_usage(CLI::App& command, Invocation& on);
void fill_status(CLI::App& command, Invocation& on);
void fill_metrics(CLI::App& command, Invocation& on);

// grammar_sharing.cc
void fill_share(CLI::App& command, Invocation& on);
void fill_plan(CLI::App& command, Invocation& on);
void fill_masters(CLI::App& command, Invocation& on);
void fill_profile(CLI::App& command, Invocation& on);
void fill_cells(CLI::App& command, Invocation& on);
void fill_shares(CLI::App& command, Invocation& on);
void fill_audit(CLI::App& command, Invocation& on);

// grammar_self.cc
void fill_completion(CLI::App& command, Invocation& on);
void fill_man(CLI::App& command, Invocation& on);

}  // namespace dunlin::cli
