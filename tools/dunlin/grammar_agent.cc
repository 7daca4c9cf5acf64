// SPDX-License-Identifier: MIT
#include "tools/dunlin/grammar_agent.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "node/agent_options.h"
#include "overlay/param_entries.h"
#include "tools/dunlin/grammar_parts.h"

// Every parameter is a flag, made from the same table as configuration files and the manual. The
// values are not read here: flags, environment and file are applied together, in this order of
// strength, so that an error names the place that is wrong.
namespace dunlin::cli {
namespace {

void add_setting(Invocation& on, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos) {
    // CLI11's own way to refuse a value: its text becomes a line with the help's name.
    throw CLI::ValidationError("--set", "'" + text + "' is not KEY=VALUE");
  }
  // Whether there is such a parameter each agent says, as for its file.
  on.dev.settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
}

/// The word for the value and, behind a colon, its words: where CLI11 puts them for a check, which
/// help leaves out and completion reads. They are checked when all settings are.
std::string value_word(const overlay::ParamEntry& entry) {
  if (entry.type == "text") return "TEXT";
  if (entry.type == "bool") return "bool:{true,false}";
  if (entry.type != "choice") return entry.type;
  std::string words = entry.range;
  std::erase(words, ' ');
  return "choice:{" + words + "}";
}

/// --SECTION.KEY=VALUE for every parameter, and the agent's own by their short names.
void add_settings(CLI::App& command, node::Settings& settings) {
  // Only for its table of parameters: what is typed goes into `settings`, and is applied together
  // with file and environment.
  node::Configuration configuration;
  for (const overlay::ParamEntry& entry : node::all_entries(configuration)) {
    const bool agent = entry.section == "agent";
    std::string dashed = entry.name;
    std::ranges::replace(dashed, '_', '-');
    const std::string flags = agent ? "--" + dashed : "--" + entry.key();
    auto* const option = command.add_option_function<std::string>(
        flags,
        [&settings, key = entry.key()](
            const std::string& text) { settings.emplace_back(key, text); },
        entry.meaning + (entry.fallback.empty() ? "" : " (default " + entry.fallback + ")"));
    option->type_name(value_word(entry))->group(agent ? "Agent" : "Parameters");
  }
}

}  // namespace

void fill_dev(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return on.run_dev(on.dev); });
  command.add_option("-n,--nodes", on.dev.nodes, "Number of agents (default 5)")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  command
      .add_option("--cpus", on.dev.cpus, "CPUs of each agent (default: this machine's, divided)")
      ->type_name("CPUS");
  command
      .add_option("--memory", on.dev.memory, "Memory of each (default: this machine's, divided)")
      ->type_name("SIZE");
  command
      .add_option("--data", on.dev.data, "Where they keep their data (default: nowhere for long)")
      ->type_name("DIR");
  command.add_flag("--keep", on.dev.keep, "Leave the temporary data behind");
  command
      .add_option_function<std::vector<std::string>>(
          "--set",
          [&on](const std::vector<std::string>& settings) {
            for (const std::string& text : settings) add_setting(on, text);
          },
          "A setting for every agent, such as cyclon.period=250ms (see dunlin params)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void fill_agent(CLI::App& command, Invocation& on) {
  does(command, on, [&on] { return on.run_agent(on.agent); });
  command.add_option("--config", on.agent.config, "Its settings (default /etc/dunlin/agent.toml)")
      ->type_name("FILE");
  command.add_flag(
      "--die-with-parent", on.agent.die_with_parent, "Stop when the parent process dies");
  add_settings(command, on.agent.settings);
}

// For `dunlin-agent` alone: the other program has these two among its own.
std::span<const Command> agent_commands() {
  static constexpr Command kCommands[] = {kDevCommand, kAgentCommand};
  return kCommands;
}

}  // namespace dunlin::cli
