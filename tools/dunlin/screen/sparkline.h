// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/dunlin/json.h"

namespace dunlin::cli {

/// Values over time as a row of small bars, "▁▂█ ▄", at most `columns` of them. The highest fills
/// its column; one that is not known is a blank. Where there are more values than columns, a column
/// is the highest of its values.
std::string sparkline(const std::vector<double>& values, std::size_t columns);

/// The answer to `past` as lines "  LABEL    ▁▂█  0 to 4" of at most `columns` columns, if there is
/// room for a bar at all; empty where it tells nothing.
std::string past_lines(const Json& past, std::size_t columns);

}  // namespace dunlin::cli
