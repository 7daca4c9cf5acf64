// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "tools/dunlin/grammar.h"

// The command of the web's gateway. The program `dunlin-web` knows it alone, and does it; `dunlin`,
// which is started for every command, becomes that program.
namespace dunlin::cli {

void fill_web(CLI::App& command, Invocation& on);

inline constexpr Command kWebCommand = {
    "web", "Show the cluster in a browser, and answer scripts by HTTP", kWatch, fill_web};

/// The commands of `dunlin-web`.
std::span<const Command> web_commands();

}  // namespace dunlin::cli
