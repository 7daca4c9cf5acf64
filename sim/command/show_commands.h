// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"

// The commands of dunlin-sim that run nothing: they print on stdout.
namespace dunlin::sim {

/// The scenarios in the folder `given`, with their titles. If it is empty: those of the source
/// tree that one stands in, or else of the folder `otherwise`.
void list(const std::string& given, const std::string& otherwise);

/// Every parameter with its default, as a scenario file.
void params();

/// The comment that a scenario begins with, and all that it sets.
Result<void> describe(const std::string& file);

}  // namespace dunlin::sim
