// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "overlay/time.h"

// Splitting of the lines of traces.
namespace dunlin::sim {

/// Cuts the next field, up to `separator` or the end, off the front of `line`.
inline std::string_view cut_field(std::string_view& line, char separator) {
  const std::size_t end = line.find(separator);
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return field;
}

/// Cuts the next word off the front of `line`; empty if there is none.
inline std::string_view cut_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  line.remove_prefix(begin == std::string_view::npos ? line.size() : begin);
  const std::size_t end = line.find_first_of(" \t");
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(word.size());
  return word;
}

/// The whole of `text` as a finite number.
inline std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

/// The bound of times in a trace: a century.
inline constexpr double kSecondsMax = 3.2e9;

/// Reads seconds, at least 0, exact to the nanosecond.
inline std::optional<overlay::Duration> seconds_in(std::string_view text) {
  const auto value = number_in(text);
  if (!value || *value < 0 || *value > kSecondsMax) return {};
  return overlay::Duration{std::llround(*value * 1e9)};
}

/// Reads a whole number in [0, max].
inline std::optional<std::uint64_t> count_in(std::string_view text, std::uint64_t max) {
  const auto value = number_in(text);
  if (!value || *value < 0 || *value > static_cast<double>(max) || *value != std::floor(*value)) {
    return {};
  }
  return static_cast<std::uint64_t>(*value);
}

/// FNV-1a: turns names into numbers.
inline std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace dunlin::sim
