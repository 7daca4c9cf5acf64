// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// What each user is charged with at an agent: a table of the `users` of its `status`, and a line
/// that says how many places there are.
std::string users_text(const Json& status, const Terminal& terminal);

}  // namespace dunlin::cli
