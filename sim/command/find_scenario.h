// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/result.h"

namespace dunlin::sim {

/// The folder of the scenarios that come with Dunlin: that of the source tree that one stands in,
/// that of the installed program, or that of the source the program was built from.
std::string experiments_folder();

/// The scenario files in a folder, sorted; none if there is no such folder.
std::vector<std::string> scenarios_in(const std::string& folder);

/// The name under which find_scenario() knows a file: "hello" for "sim/experiments/hello.toml".
std::string scenario_name(const std::string& file);

/// The file that a user means by `given`: that file, or the scenario of that name in `folder`,
/// with or without ".toml". Fails (`usage`) with the nearest name.
Result<std::string> find_scenario(
    const std::string& given, const std::string& folder = experiments_folder());

}  // namespace dunlin::sim
