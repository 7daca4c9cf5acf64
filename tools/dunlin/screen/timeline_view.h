// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/terminal.h"

namespace dunlin::cli {

/// The answer to `timeline` as bars, a row for each group and, of a job of few tasks, for each
/// task. In lines of at most 100 columns, less on a narrower terminal.
std::string timeline_bars(const Json& timeline, const Terminal& terminal);
/// The same in words, for a file or a pipe: the groups, and a line for each attempt that is told.
std::string timeline_text(const Json& timeline);

}  // namespace dunlin::cli
