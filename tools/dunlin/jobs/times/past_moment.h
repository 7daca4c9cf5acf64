// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "overlay/result.h"
#include "tools/dunlin/jobs/times/wall_time.h"

namespace dunlin::cli {

/// Reads a moment that is past: a time before `now`, such as "7d" or "12h"; a day, "2026-11-21",
/// which begins at midnight of the local clock; or a moment as parse_wall_time() reads it. Fails
/// with `usage`, also if it is not past.
Result<WallTime> parse_past_moment(std::string_view text, WallTime now);

}  // namespace dunlin::cli
