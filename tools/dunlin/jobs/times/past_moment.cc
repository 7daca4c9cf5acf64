// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/times/past_moment.h"

#include <chrono>
#include <optional>
#include <string>

#include "tools/dunlin/jobs/times/time_limit.h"

namespace dunlin::cli {

Result<WallTime> parse_past_moment(std::string_view text, WallTime now) {
  if (const auto before = parse_time_limit(text)) {
    return now - std::chrono::duration_cast<WallTime::duration>(*before);
  }
  auto moment = parse_wall_time(text, now);
  if (!moment) moment = parse_wall_time(std::string(text) + "T00:00", now);
  if (!moment) {
    return failure(ErrorKind::usage,
        "'" + std::string(text) + "' is no moment: write 7d, 12h, 2026-11-21 or 2026-11-21T18:00");
  }
  if (*moment > now) {
    return failure(ErrorKind::usage, "'" + std::string(text) + "' is not past");
  }
  return *moment;
}

}  // namespace dunlin::cli
