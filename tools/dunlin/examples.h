// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace dunlin::cli {

/// What stands below the help of a command, and in its manual page: lines to be typed, indented,
/// below lines that say what they do. `path` is the command without the program, "node drain".
/// Empty: there is none.
std::string_view examples_of(std::string_view path);

}  // namespace dunlin::cli
