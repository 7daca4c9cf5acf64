// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/times/wall_time.h"

#include <algorithm>
#include <charconv>
#include <ctime>

// Times of a clock on the wall: "18:00", "tomorrow 8:00", "2026-11-22T18:00+01:00". Without an
// offset they are the user's own time zone, of the machine where the command is typed; the agent is
// told how long it is until then, so its zone does not matter.
namespace dunlin::cli {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;
using std::chrono::year_month_day;

/// Takes from `min` to `max` digits off the front.
std::optional<unsigned> take_number(std::string_view& text, std::size_t min, std::size_t max) {
  // One digit more than allowed is looked at, so that a longer number fails instead of being cut.
  const std::size_t size = std::min({text.find_first_not_of("0123456789"), text.size(), max + 1});
  if (size < min || size > max) return std::nullopt;
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + size, number);
  text.remove_prefix(size);
  return number;
}

/// Takes one of `signs` off the front.
bool take_one_of(std::string_view& text, std::string_view signs) {
  if (text.empty() || signs.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// "18:00", "8:00:30.5": the time since midnight, to the second.
std::optional<seconds> take_clock(std::string_view& text, std::size_t hour_digits) {
  const auto hour = take_number(text, hour_digits, 2);
  if (!hour || *hour > 23 || !take_one_of(text, ":")) return std::nullopt;
  const auto minute = take_number(text, 2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  unsigned second = 0;
  if (take_one_of(text, ":")) {
    const auto read = take_number(text, 2, 2);
    if (!read || *read > 59) return std::nullopt;
    second = *read;
    // Fractions are read and dropped: other programs print them, and a deadline needs none.
    if (take_one_of(text, ".") && !take_number(text, 1, 9)) return std::nullopt;
  }
  return hours(*hour) + minutes(*minute) + seconds(second);
}

std::optional<year_month_day> take_date(std::string_view& text) {
  const auto year = take_number(text, 4, 4);
  if (!year || !take_one_of(text, "-")) return std::nullopt;
  const auto month = take_number(text, 2, 2);
  if (!month || !take_one_of(text, "-")) return std::nullopt;
  const auto day = take_number(text, 2, 2);
  if (!day) return std::nullopt;
  const year_month_day date{std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
      std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return date;
}

/// "Z", "+01:00", "-05:30": east of Greenwich.
std::optional<seconds> take_offset(std::string_view& text) {
  if (take_one_of(text, "Zz")) return seconds(0);
  const bool west = text.starts_with('-');
  if (!take_one_of(text, "+-")) return std::nullopt;
  const auto hour = take_number(text, 2, 2);
  if (!hour || *hour > 23 || !take_one_of(text, ":")) return std::nullopt;
  const auto minute = take_number(text, 2, 2);
  if (!minute || *minute > 59) return std::nullopt;
  const seconds offset = hours(*hour) + minutes(*minute);
  return west ? -offset : offset;
}

/// The moment at which the local clock shows that.
std::optional<WallTime> local(const year_month_day& date, seconds clock) {
  std::tm shown{};
  shown.tm_year = static_cast<int>(date.year()) - 1900;
  shown.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  shown.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
  shown.tm_hour = static_cast<int>(clock / hours(1));
  shown.tm_min = static_cast<int>(clock % hours(1) / minutes(1));
  shown.tm_sec = static_cast<int>(clock % minutes(1) / seconds(1));
  // The time zone says whether it is summer then, which need not be so now.
  shown.tm_isdst = -1;
  const std::tm asked = shown;
  const std::time_t at = ::mktime(&shown);
  // In spring the local clock leaps over an hour, and mktime() means another one.
  if (at == -1 || shown.tm_hour != asked.tm_hour || shown.tm_min != asked.tm_min) {
    return std::nullopt;
  }
  return std::chrono::system_clock::from_time_t(at);
}

std::optional<year_month_day> today(WallTime now) {
  const std::time_t at = std::chrono::system_clock::to_time_t(now);
  std::tm shown{};
  if (::localtime_r(&at, &shown) == nullptr) return std::nullopt;
  return year_month_day{std::chrono::year(shown.tm_year + 1900),
      std::chrono::month(static_cast<unsigned>(shown.tm_mon) + 1),
      std::chrono::day(static_cast<unsigned>(shown.tm_mday))};
}

std::optional<WallTime> parse_date(std::string_view text) {
  const auto date = take_date(text);
  if (!date || !take_one_of(text, "Tt ")) return std::nullopt;
  // Two digits, as ISO 8601 has it; a bare clock may be "8:00".
  const auto clock = take_clock(text, 2);
  if (!clock) return std::nullopt;
  if (text.empty()) return local(*date, *clock);
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  // East is ahead: its noon is before Greenwich's.
  return sys_days(*date) + *clock - *offset;
}

std::optional<WallTime> parse_day(std::string_view text, std::string_view day, WallTime now) {
  const auto first = today(now);
  if (!first || !text.starts_with(day)) return std::nullopt;
  text.remove_prefix(day.size());
  const auto clock = take_clock(text, 1);
  if (!clock || !text.empty()) return std::nullopt;
  const bool next = day.starts_with("tomorrow");
  // By the calendar, not 24 hours on: a day in spring has 23.
  return local(next ? year_month_day(sys_days(*first) + days(1)) : *first, *clock);
}

std::optional<WallTime> parse_clock_on_wall(std::string_view text, WallTime now) {
  const auto first = today(now);
  const auto clock = take_clock(text, 1);
  if (!first || !clock || !text.empty()) return std::nullopt;
  const auto at = local(*first, *clock);
  // A time that has passed today is meant for tomorrow.
  if (at && *at > now) return at;
  return local(year_month_day(sys_days(*first) + days(1)), *clock);
}

}  // namespace

std::optional<WallTime> parse_wall_time(std::string_view text, WallTime now) {
  // No form is the beginning of another, so the order does not matter.
  if (const auto at = parse_clock_on_wall(text, now)) return at;
  if (const auto at = parse_day(text, "today ", now)) return at;
  if (const auto at = parse_day(text, "tomorrow ", now)) return at;
  return parse_date(text);
}

}  // namespace dunlin::cli
