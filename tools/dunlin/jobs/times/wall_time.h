// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace dunlin::cli {

using WallTime = std::chrono::system_clock::time_point;

/// Reads a moment as people write it: the next "18:00" or "8:00:30" of the local clock; "today
/// 18:00", "tomorrow 8:00"; or a date and time by RFC 3339, "2026-11-22T18:00:00+01:00", where the
/// seconds may be missing, and without "Z" or offset the local clock is meant. Empty if it is none
/// of these, or a moment that no calendar or clock shows: 29 February 2027, 23:59:60, an hour that
/// the local clock leaps over.
std::optional<WallTime> parse_wall_time(std::string_view text, WallTime now);

}  // namespace dunlin::cli
