// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The entry points of the command line: the programs `dunlin agent` and `dunlin dev`.
namespace dunlin::node {

/// Settings given as flags: key ("cyclon.period", "agent.bind"; "bind" is short for the latter) and
/// text, in the order given; later ones win.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// `dunlin agent`.
struct AgentCommand {
  std::string config;  ///< --config FILE. Empty: /etc/dunlin/agent.toml, if it exists.
  Settings settings;
  bool die_with_parent = false;  ///< --die-with-parent: stop when the parent process dies.
};

/// Runs an agent until it is told to stop. Returns the exit status: 0; 1 if it could not start or
/// go on; 2 if the command or its configuration is wrong. Says why in one line on stderr.
int run_agent(const AgentCommand& command);

/// `dunlin dev`.
struct DevCommand {
  std::uint32_t nodes = 5;  ///< --nodes
  std::string data;         ///< --data DIR. Empty: a temporary one.
  bool keep = false;        ///< --keep: leave a temporary directory behind.
  std::string cpus;         ///< --cpus of each agent. Empty: the machine's, divided, at least 1.
  std::string memory;       ///< --memory of each agent. Empty: the machine's, divided.
  Settings settings;        ///< Settings of every agent.
};

/// Runs that many agents on this machine, in this terminal, until Ctrl-C. Returns the exit status.
int run_dev(const DevCommand& command);

}  // namespace dunlin::node
