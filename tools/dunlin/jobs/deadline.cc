// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/deadline.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>

#include "overlay/param_entries.h"
#include "sched/job.h"

namespace dunlin::cli {
namespace {

using WallTime = std::chrono::system_clock::time_point;

/// Reads all of `text` as `format` says (strptime(3)) into `clock`; leaves alone what it doesn't
/// name.
bool reads(const std::string& text, const char* format, std::tm& clock) {
  const char* const end = ::strptime(text.c_str(), format, &clock);
  return end != nullptr && *end == '\0';
}

std::optional<WallTime> wall_time(std::time_t seconds) {
  if (seconds < 0) return std::nullopt;
  return std::chrono::system_clock::from_time_t(seconds);
}

/// The next time at which a clock on the wall shows `text`.
std::optional<WallTime> next_of_day(const std::string& text, WallTime now) {
  const std::time_t today = std::chrono::system_clock::to_time_t(now);
  std::tm clock{};
  if (::localtime_r(&today, &clock) == nullptr) return std::nullopt;
  clock.tm_sec = 0;
  if (!reads(text, "%H:%M", clock)) return std::nullopt;
  clock.tm_isdst = -1;
  std::tm tomorrow = clock;
  const auto at = wall_time(::mktime(&clock));
  if (at && *at > now) return at;
  ++tomorrow.tm_mday;
  return wall_time(::mktime(&tomorrow));
}

std::optional<WallTime> date(const std::string& text) {
  for (const char* const format : {"%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"}) {
    std::tm clock{};
    clock.tm_isdst = -1;
    if (reads(text, format, clock)) return wall_time(::mktime(&clock));
    clock = {};
    if (reads(text, (std::string(format) + "Z").c_str(), clock)) return wall_time(::timegm(&clock));
  }
  return std::nullopt;
}

}  // namespace

Result<overlay::Duration> parse_deadline(std::string_view text, WallTime now) {
  const std::string whole(text);
  std::optional<overlay::Duration> left;
  if (const auto time = overlay::parse_duration(text)) {
    left = *time;
  } else if (const auto at = date(whole)) {
    left = *at - now;
  } else if (const auto clock = next_of_day(whole, now)) {
    left = *clock - now;
  }
  if (!left) {
    return failure(
        ErrorKind::usage, "'" + whole + "' is no deadline: write 10m, 18:00 or 2026-11-22T18:00Z");
  }
  if (*left <= overlay::Duration{0}) {
    return failure(ErrorKind::usage, "'" + whole + "' is past: a deadline lies ahead");
  }
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
