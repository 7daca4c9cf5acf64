// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/result.h"
#include "tools/dunlin/connection/connection.h"
#include "tools/dunlin/globals.h"
#include "tools/dunlin/json.h"

namespace dunlin::cli {

/// When the attempts of a job began and ended: `dunlin job --timeline`.
Result<int> print_timeline(const Globals& globals, Connection& agent, const Json& request);
/// How many of its tasks stand where: `dunlin job --bins`.
Result<int> print_bins(const Globals& globals, Connection& agent, Json request);

}  // namespace dunlin::cli
