// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace dunlin::overlay {

/// Of a number as messages and JSON have it. People write others: see say().
enum class FieldUnit : std::uint8_t { none, ns, mib, kib_per_second, milli_cpu };

/// What users know of a field of a record. The compiler of schemas makes one from the annotations
/// of each field that has any, as X::Terms::field: names, bounds and help are said there alone.
struct FieldInfo {
  std::string_view name{};   ///< Of the member.
  std::string_view key{};    ///< In the JSON of the control protocol.
  std::string_view toml{};   ///< In a job file, and for Python.
  std::string_view flag{};   ///< "-t,--time-limit"; empty: there is none.
  std::string_view value{};  ///< The word for its value in help: "TIME".
  std::string_view was{};    ///< Names that are still read, with spaces between them.
  std::string_view help{};
  FieldUnit unit = FieldUnit::none;
  std::int64_t min = 0;
  std::int64_t max = std::numeric_limits<std::int64_t>::max();  ///< Of a text: bytes.
  std::int64_t initial = 0;                                     ///< If it is left out.
};

/// "--time-limit" of "-t,--time-limit".
std::string_view long_flag(const FieldInfo& info);

/// "run or cancel", "a, b or c": what a word must be, each between two of `quote`.
std::string one_of(std::span<const std::string_view> words, std::string_view quote = "");

/// A value as people write it: "1h30m", "4096M", "100M/s", "0.5", or a plain number.
std::string say(const FieldInfo& info, std::int64_t value);

/// What is wrong with a value, in that unit: "must be at most 49d", "must be from 0 to 1000";
/// empty if nothing is. Whoever tells it puts the name in front that the user wrote.
std::string wrong_value(const FieldInfo& info, std::int64_t value);

}  // namespace dunlin::overlay
