// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/dunlin/command_line.h"
#include "tools/dunlin/grammar.h"

// The grammar of a whole command line.
namespace dunlin::cli {

/// Describes to `app` the flags that may stand before the name of a command.
void describe_program(CLI::App& app, Invocation& invocation);

/// `words`, with `command` before them if they name none: `dunlin-agent --name x` is a line of
/// `dunlin agent`. An empty `command` changes nothing, and neither is the version the command's.
std::vector<std::string> with_command(std::vector<std::string> words, std::string_view command);

/// Reads `words`, a line of `commands` without the program's name, into `invocation`, and describes
/// to `app` as much as it needs for that; neither may move. Fails with `usage`. Throws CLI::Success
/// if the user asks for help or the version: `app` can print them.
Result<void> read_line(
    CLI::App& app, Invocation& invocation, Words words, std::span<const Command> commands);

}  // namespace dunlin::cli
