// SPDX-License-Identifier: MIT
#include "tools/dunlin/grammar_parts.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <utility>

#include "tools/dunlin/examples.h"

// The program knows some forty commands, and one of them is on the line. So only that one is
// described in full, flags and examples: the others are names in a list. Flags that all clients
// have are added to each, so that they may stand on either side of a command's name.
namespace dunlin::cli {

void does(CLI::App& command, Invocation& on, CommandAction action) {
  // CLI11 calls this while it still parses; the command itself runs when the whole line is
  // understood.
  command.callback([&on, action = std::move(action)] {
    // With a command inside a command, the inner one comes first, and it is the one to run.
    if (!on.action) on.action = action;
  });
}

void add_json(CLI::App& command, Globals& globals) {
  command.add_flag("--json", globals.json, "One JSON value instead of text")->group("Agent");
}

void add_reconnect(CLI::App& command, Globals& globals) {
  command
      .add_option("--reconnect", globals.reconnect,
          "Wait at most so long for an agent that goes away; 0: not at all (default 1m)")
      ->type_name("TIME")
      ->group("Agent");
}

void add_columns(CLI::App& command, ColumnChoice& columns) {
  auto* const wide = command.add_flag("--wide", columns.wide, "All columns that there are");
  command
      .add_option("--columns", columns.list,
          "These columns, in this order, by the first words of their headers: state,node")
      ->type_name("LIST")
      ->excludes(wide);
}

void add_client_flags(CLI::App& command, Globals& globals, bool json) {
  command
      .add_option("--address", globals.agent.address,
          "The agent to ask: a socket's path, or HOST[:PORT]; or several, between commas: the "
          "first "
          "that answers (default: $DUNLIN_ADDRESS, else the one of this machine)")
      ->type_name("WHERE")
      ->group("Agent");
  command
      .add_option("--key", globals.agent.key,
          "The cluster key, to ask a remote agent (default: $DUNLIN_KEY)")
      ->type_name("FILE")
      ->group("Agent");
  command
      .add_option("--cluster", globals.agent.cluster,
          "A cluster that was launched from here (dunlin launch): one of its agents is asked, by "
          "ssh")
      ->type_name("NAME")
      ->group("Agent");
  command.add_flag("--no-color", globals.no_colour, "No colours")->group("Agent");
  if (json) add_json(command, globals);
}

namespace {

/// Gives `command`, known as `path`, and those below it the footers that examples.h has for them.
void add_examples(CLI::App& command, const std::string& path) {
  if (const auto examples = examples_of(path); !examples.empty()) {
    command.footer(std::string(examples));
  }
  for (CLI::App* const below : command.get_subcommands([](CLI::App*) { return true; })) {
    add_examples(*below, path + " " + below->get_name());
  }
}

}  // namespace

void add_commands(CLI::App& app,
    Invocation& invocation,
    std::span<const Command> commands,
    std::string_view only) {
  for (const Command& each : commands) {
    CLI::App* const command = app.add_subcommand(each.name, each.help);
    command->group(each.group);
    // One command is asked for, and to describe all of them with their flags takes time.
    if (!only.empty() && only != each.name) continue;
    each.fill(*command, invocation);
    add_examples(*command, each.name);
  }
}

}  // namespace dunlin::cli
