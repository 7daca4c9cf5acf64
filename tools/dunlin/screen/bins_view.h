// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// Ranges of tasks that bins_strip() has columns for on that terminal: at least 10, at most 80.
std::size_t strip_columns(const Terminal& terminal);
/// The answer to `task_bins` as a strip: a column for each range of tasks, and a row for each state
/// that any task is in, as high as many of the range are in it. In lines of at most 110 columns.
std::string bins_strip(const Json& told, const Terminal& terminal);
/// The same in words, for a file or a pipe: a line for each range.
std::string bins_text(const Json& told);

}  // namespace dunlin::cli
