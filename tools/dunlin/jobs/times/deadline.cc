// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/times/deadline.h"

#include <algorithm>
#include <optional>
#include <string>

#include "overlay/param_entries.h"
#include "sched/job.h"
#include "tools/dunlin/jobs/times/wall_time.h"

namespace dunlin::cli {
// A span first: "10m" is one, and no time of a day looks like it.
Result<overlay::Duration> parse_deadline(
    std::string_view text, std::chrono::system_clock::time_point now, std::string_view what) {
  const std::string whole(text);
  std::optional<overlay::Duration> left;
  constexpr std::string_view kIn = "in ";
  if (const auto time =
          overlay::parse_duration(text.substr(text.starts_with(kIn) ? kIn.size() : 0))) {
    left = *time;
  } else if (const auto at = parse_wall_time(text, now)) {
    left = *at - now;
  }
  if (!left) {
    return failure(ErrorKind::usage,
        "'" + whole + "' is no " + std::string(what) +
            ": write 10m, 18:00, 'tomorrow 8:00' or 2026-11-22T18:00+01:00");
  }
  // A bare time of the day is never past, as the next such moment is meant; "today 8:00" and dates
  // may be.
  if (*left <= overlay::Duration{0}) {
    return failure(
        ErrorKind::usage, "'" + whole + "' is past: a " + std::string(what) + " lies ahead");
  }
  // The bound that agents have for times of tasks.
  if (*left > sched::kTaskTimeMax) {
    return failure(ErrorKind::usage, "'" + whole + "' is more than ten years away");
  }
  return *left;
}

Result<void> check_past_deadline(std::string_view word) {
  if (std::ranges::count(sched::kPastDeadlineWords, word) > 0) return {};
  return failure(ErrorKind::usage, "'" + std::string(word) + "' is neither run nor cancel");
}

}  // namespace dunlin::cli
