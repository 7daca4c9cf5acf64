// SPDX-License-Identifier: MIT
#pragma once

#include "tools/dunlin/command_line.h"
#include "tools/dunlin/grammar.h"

// The grammar of a whole command line.
namespace dunlin::cli {

/// Describes to `app` what stands on a line before the name of a command.
void describe_program(CLI::App& app, Invocation& invocation);

/// Reads `words`, a line without the program's name, into `invocation`, and describes to `app` what
/// it needs for that; both must stay where they are. Fails with `usage`. Throws CLI::Success where
/// help or the version is asked for: `app` can print them.
Result<void> read_line(CLI::App& app, Invocation& invocation, Words words);

}  // namespace dunlin::cli
