// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "tools/dunlin/grammar.h"

// The commands that run agents. The program `dunlin-agent` knows these alone, and does them;
// `dunlin`, which is started for every command, knows them too, and becomes that program.
namespace dunlin::cli {

void fill_dev(CLI::App& command, Invocation& on);
void fill_agent(CLI::App& command, Invocation& on);

inline constexpr Command kDevCommand = {
    "dev", "Start a small cluster here, to try things out", kUse, fill_dev};
inline constexpr Command kAgentCommand = {
    "agent", "Run the agent of this machine", kOperate, fill_agent};

/// The commands of `dunlin-agent`.
std::span<const Command> agent_commands();

}  // namespace dunlin::cli
