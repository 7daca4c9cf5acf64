// SPDX-License-Identifier: MIT
#include "overlay/param_entries.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace dunlin::overlay {
namespace {

struct Unit {
  std::string_view word;
  std::int64_t nanoseconds;
};

// From the largest to the smallest; "ms" must be tried as a whole word, so words are cut first.
constexpr std::array kUnits = {Unit{"d", 86'400'000'000'000}, Unit{"h", 3'600'000'000'000},
    Unit{"m", 60'000'000'000}, Unit{"s", 1'000'000'000}, Unit{"ms", 1'000'000}, Unit{"us", 1'000},
    Unit{"ns", 1}};

tl::unexpected<Error> not_a(std::string_view what, std::string_view text) {
  return failure(ErrorKind::usage, "'" + std::string(text) + "' is not " + std::string(what));
}

bool is_digit(char c) { return (c >= '0' && c <= '9') || c == '.'; }

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  constexpr std::string_view what = "a duration such as 250ms, 1.5s or 1h30m";
  double total = 0;
  std::string_view rest = text;
  if (rest == "0") return Duration{0};
  if (rest.empty()) return not_a(what, text);
  while (!rest.empty()) {
    std::size_t digits = 0;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    std::size_t end = digits;
    while (end < rest.size() && !is_digit(rest[end])) ++end;
    const auto number = parse_number(rest.substr(0, digits));
    if (!number) return not_a(what, text);
    const std::string_view word = rest.substr(digits, end - digits);
    double scale = 0;
    for (const Unit& unit : kUnits) {
      if (unit.word == word) scale = static_cast<double>(unit.nanoseconds);
    }
    if (scale == 0) return not_a(what, text);
    total += *number * scale;
    rest.remove_prefix(end);
  }
  if (total > 9.2e18) return failure(ErrorKind::usage, "'" + std::string(text) + "' is too long");
  return Duration{std::llround(total)};
}

std::string to_string(Duration duration) {
  std::int64_t rest = duration.count();
  if (rest == 0) return "0s";
  std::string text = rest < 0 ? "-" : "";
  if (rest < 0) rest = -rest;
  for (const Unit& unit : kUnits) {
    const std::int64_t whole = rest / unit.nanoseconds;
    if (whole == 0) continue;
    text += std::to_string(whole) + std::string(unit.word);
    rest -= whole * unit.nanoseconds;
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

double point_between(double least, double most, Scale scale, double share) {
  if (scale == Scale::linear || least <= 0) return least + (most - least) * share;
  return least * std::pow(most / least, share);
}

}  // namespace detail
}  // namespace dunlin::overlay
