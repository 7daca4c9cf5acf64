// SPDX-License-Identifier: MIT
#pragma once

#include "tools/dunlin/json.h"

namespace dunlin::cli {

/// Prints what the tasks of `job`, an answer to the verb `job`, took: times, CPU, memory, and bytes
/// of disks and networks as far as they were counted. Figures of several tasks are percentiles.
void show_measures(const Json& job);

}  // namespace dunlin::cli
