// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/terminal.h"

// The words in which plans are shown to people; see `plan_set` and `plan` of the control protocol.
// Pure.
namespace dunlin::cli {

/// "policy assured, spare slots by deadline, version 4".
std::string plan_title(const Json& plan);
/// The rule of plans, and for each cell its last plan: slots, need and slack per job.
std::string plan_text(const Json& plan, const Terminal& terminal);

}  // namespace dunlin::cli
