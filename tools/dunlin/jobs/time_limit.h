// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "overlay/result.h"
#include "overlay/time.h"

namespace dunlin::cli {

/// Reads "1h30m", "90s" or "HH:MM:SS". A bare number is refused: of what? So are "MM:SS", which
/// half the readers take for hours and minutes, and anything that is not more than nothing.
Result<overlay::Duration> parse_time_limit(std::string_view text);

}  // namespace dunlin::cli
