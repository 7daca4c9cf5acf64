// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/connection/connection.h"

namespace dunlin::cli {

/// The "jobs", "nodes" or "classes" that an agent tells of before `deadline`: a name a line and,
/// behind a tab, what it is. Jobs are those that have not ended: of this agent by number, and of
/// others by node and number. Empty where it tells none.
std::string names_told(Connection& agent, const std::string& what, Clock::time_point deadline);

}  // namespace dunlin::cli
