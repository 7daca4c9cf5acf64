// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/times/time_limit.h"

#include <charconv>
#include <optional>
#include <string>

#include "overlay/param_entries.h"

// Times are said as people and schedulers write them: with units (90s, 1h30m) or as HH:MM:SS. A
// bare number is refused, because Slurm takes it for minutes and others for seconds. 0 is refused
// as well, but where not to wait is a wish.
namespace dunlin::cli {
namespace {

using overlay::Duration;

/// What commands wait for; terms of jobs have bounds of their own.
constexpr Duration kWaitMax = std::chrono::hours(24 * 365);
/// So many hours are a number of nanoseconds.
constexpr std::int64_t kHoursMax = 24 * 365 * 100;

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// HH:MM:SS alone: of two numbers one would not know whether they are hours or minutes.
std::optional<Duration> parse_clock(std::string_view text) {
  const auto first = text.find(':');
  const auto second = text.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto hours = digits(text.substr(0, first));
  const auto minutes = digits(text.substr(first + 1, second - first - 1));
  const auto seconds = digits(text.substr(second + 1));
  if (!hours || !minutes || !seconds) return std::nullopt;
  // Hours may be many: 48:00:00 is two days.
  if (*hours > kHoursMax || *minutes > 59 || *seconds > 59) return std::nullopt;
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes) +
      std::chrono::seconds(*seconds);
}

/// A time above 0.
std::optional<Duration> parse_time(std::string_view text) {
  std::optional<Duration> time;
  if (text.find(':') != std::string_view::npos) {
    time = parse_clock(text);
  } else if (const auto parsed = overlay::parse_duration(text)) {
    time = *parsed;
  }
  return time && *time > Duration{0} ? time : std::nullopt;
}

tl::unexpected<Error> no_time(std::string_view text) {
  return failure(
      ErrorKind::usage, "'" + std::string(text) + "' is no time: write 90s, 1h30m or HH:MM:SS");
}

}  // namespace

Result<Duration> parse_time_limit(std::string_view text) {
  const auto time = parse_time(text);
  if (!time || *time > kWaitMax) return no_time(text);
  return *time;
}

Result<Duration> parse_term_time(std::string_view text, const overlay::FieldInfo& info) {
  const auto time = parse_time(text);
  if (!time) return no_time(text);
  if (const std::string wrong = overlay::wrong_value(info, time->count()); !wrong.empty()) {
    return failure(ErrorKind::usage, wrong);
  }
  return *time;
}

Result<Duration> parse_patience(const std::string& text) {
  // Not to wait at all is a wish here, while a limit of 0 is a mistake everywhere else.
  if (text == "0") return Duration{0};
  auto time = parse_time_limit(text);
  if (!time) return failure(ErrorKind::usage, "--reconnect: " + time.error().text);
  return time;
}

}  // namespace dunlin::cli
