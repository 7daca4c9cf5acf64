// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/terminal.h"

// The words in which the masters of federated placement are shown to people; see `masters` of the
// control protocol. Pure.
namespace dunlin::cli {

/// Local masters, then global ones, then how many cells do not answer.
std::string masters_text(const Json& masters, const Terminal& terminal);

}  // namespace dunlin::cli
