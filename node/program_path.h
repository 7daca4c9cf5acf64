// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "overlay/result.h"

namespace dunlin::node {

/// The path of another program of Dunlin: `name` beside this one, or in ../lib/dunlin, where an
/// installation has those that users do not call. If the variable `variable` is set, its value
/// alone; nullptr: there is none. Fails with `not_found`, naming the places and the cure.
Result<std::string> find_program(const std::string& name, const char* variable = nullptr);

}  // namespace dunlin::node
