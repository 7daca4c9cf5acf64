// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "node/control/json.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

using node::Json;

/// Parameters, a row each with what it means, every line ended. `values` is the header of their
/// values. On a terminal that has no room for the meanings beside the rest, each stands below its
/// row.
std::string param_table(const Json& params, const std::string& values, const Terminal& terminal);

}  // namespace dunlin::cli
