// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/time_limit.h"

#include <charconv>
#include <optional>
#include <string>

#include "overlay/param_entries.h"

namespace dunlin::cli {
namespace {

using overlay::Duration;

constexpr std::int64_t kHoursMax = 24 * 365;

std::optional<std::int64_t> digits(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

std::optional<Duration> parse_clock(std::string_view text) {
  const auto first = text.find(':');
  const auto second = text.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto hours = digits(text.substr(0, first));
  const auto minutes = digits(text.substr(first + 1, second - first - 1));
  const auto seconds = digits(text.substr(second + 1));
  if (!hours || !minutes || !seconds) return std::nullopt;
  if (*hours > kHoursMax || *minutes > 59 || *seconds > 59) return std::nullopt;
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes) +
      std::chrono::seconds(*seconds);
}

}  // namespace

Result<Duration> parse_time_limit(std::string_view text) {
  const bool clock = text.find(':') != std::string_view::npos;
  std::optional<Duration> limit;
  if (clock) {
    limit = parse_clock(text);
  } else if (const auto parsed = overlay::parse_duration(text)) {
    limit = *parsed;
  }
  if (!limit || *limit <= Duration{0} || *limit > std::chrono::hours(kHoursMax)) {
    return failure(
        ErrorKind::usage, "'" + std::string(text) + "' is no time: write 90s, 1h30m or HH:MM:SS");
  }
  return *limit;
}

Result<Duration> parse_patience(const std::string& text) {
  if (text == "0") return Duration{0};
  auto time = parse_time_limit(text);
  if (!time) return failure(ErrorKind::usage, "--reconnect: " + time.error().text);
  return time;
}

}  // namespace dunlin::cli
