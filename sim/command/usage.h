// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <string>
#include <vector>

namespace dunlin::sim {

/// The trouble with a command line that could not be read, and its cure: "no such option:
/// --replicatons; did you mean '--replications'?". `words` is that line, without the program.
std::string usage_problem(
    const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words);

}  // namespace dunlin::sim
