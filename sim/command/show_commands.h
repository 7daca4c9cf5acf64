// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"

// The commands of dunlin-sim that run nothing: they print on stdout.
namespace dunlin::sim {

/// The scenarios in the folder `given`, with their titles. If it is empty: those that come with
/// Dunlin, by the names under which they can be run.
void list(const std::string& given);

/// Every parameter with its default, as a scenario file.
void params();

/// The comment that a scenario begins with, and all that it sets; `given` as for find_scenario().
Result<void> describe(const std::string& given);

}  // namespace dunlin::sim
