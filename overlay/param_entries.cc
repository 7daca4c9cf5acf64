// SPDX-License-Identifier: MIT
#include "overlay/param_entries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "overlay/params/param_table.h"

// Durations are read exactly: whole units are multiplied as integers with a check for overflow, and
// only the part behind a decimal point goes through a double. to_string() writes the same units,
// largest first, so that a text read and written again means the same nanoseconds.
namespace dunlin::overlay {
namespace {

struct Unit {
  std::string_view word;
  std::int64_t nanoseconds;
};

// Largest first, for to_string(). The reader cuts whole words, so "ms" is never taken for "m".
constexpr std::array kUnits = {Unit{"d", 86'400'000'000'000}, Unit{"h", 3'600'000'000'000},
    Unit{"m", 60'000'000'000}, Unit{"s", 1'000'000'000}, Unit{"ms", 1'000'000}, Unit{"us", 1'000},
    Unit{"ns", 1}};

tl::unexpected<Error> not_a(std::string_view what, std::string_view text) {
  return failure(ErrorKind::usage, "'" + std::string(text) + "' is not " + std::string(what));
}

/// A point is a part of the number: "1.5s" is one number and one unit.
bool is_digit(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto malformed = [text] { return not_a("a duration such as 250ms, 1.5s or 1h30m", text); };
  if (text == "0") return Duration{0};
  if (text.empty()) return malformed();
  std::int64_t total = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const auto digits =
        static_cast<std::size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin());
    const std::string_view number = rest.substr(0, digits);
    rest.remove_prefix(digits);
    const auto letters =
        static_cast<std::size_t>(std::ranges::find_if(rest, is_digit) - rest.begin());
    const auto unit = std::ranges::find(kUnits, rest.substr(0, letters), &Unit::word);
    rest.remove_prefix(letters);
    const auto point = number.find('.');
    if (unit == kUnits.end() || number.empty() || number == ".") return malformed();

    // Whole units are counted exactly, because nanoseconds of a year have more digits than a
    // double.
    std::int64_t whole = 0;
    if (const auto units = number.substr(0, point); !units.empty()) {
      const auto parsed = parse_integer(units);
      if (!parsed || __builtin_mul_overflow(*parsed, unit->nanoseconds, &whole)) {
        return failure(ErrorKind::usage, "'" + std::string(text) + "' is too long");
      }
    }
    double share = 0;
    if (point != std::string_view::npos) {
      const auto parsed = parse_number("0" + std::string(number.substr(point)));
      if (!parsed) return malformed();
      share = *parsed;
    }
    const auto part = std::llround(share * static_cast<double>(unit->nanoseconds));
    if (__builtin_add_overflow(total, whole, &total) ||
        __builtin_add_overflow(total, part, &total)) {
      return failure(ErrorKind::usage, "'" + std::string(text) + "' is too long");
    }
  }
  return Duration{total};
}

std::string to_string(Duration duration) {
  if (duration == Duration{0}) return "0s";
  const bool negative = duration < Duration{0};
  auto rest = static_cast<std::uint64_t>(duration.count());
  if (negative) rest = 0 - rest;  // Also of the least there is, which has no positive counterpart.
  std::string text = negative ? "-" : "";
  for (const Unit& unit : kUnits) {
    const std::uint64_t size = static_cast<std::uint64_t>(unit.nanoseconds);
    if (rest >= size) text += std::to_string(rest / size) + std::string(unit.word);
    rest %= size;
  }
  return text;
}

Result<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return not_a("a number", text);
  }
  return value;
}

Result<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) {
    return not_a("a whole number", text);
  }
  return value;
}

Result<bool> parse_bool(std::string_view text) {
  if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
  if (text == "false" || text == "no" || text == "off" || text == "0") return false;
  return not_a("true or false", text);
}

std::string number_text(double value) {
  std::array<char, 32> buffer;
  const auto [end, code] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

namespace detail {

Result<void> out_of_range(std::string_view text, const std::string& range) {
  return failure(ErrorKind::usage, "'" + std::string(text) + "' is outside " + range);
}

// On a log scale equal steps are equal factors, which needs a positive lower bound.
double point_between(double min, double max, Scale scale, double share) {
  if (scale == Scale::linear || min <= 0) return min + (max - min) * share;
  return min * std::pow(max / min, share);
}

}  // namespace detail
}  // namespace dunlin::overlay
