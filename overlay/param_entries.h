// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "overlay/params.h"
#include "overlay/result.h"
#include "overlay/rng.h"

namespace dunlin::overlay {

/// Reads "250ms", "1h30m" or "1.5s". A number without a unit (ns us ms s m h d) fails, but for "0".
Result<Duration> parse_duration(std::string_view text);
/// The shortest exact form: "250ms", "1h30m".
std::string to_string(Duration duration);

/// Reads a finite number. Fails on anything behind it, such as a unit.
Result<double> parse_number(std::string_view text);
/// Reads a whole number in decimal, with an optional minus. Fails beyond 64 bits.
Result<std::int64_t> parse_integer(std::string_view text);
/// Reads true, yes, on or 1; and false, no, off or 0.
Result<bool> parse_bool(std::string_view text);
/// The shortest text that reads back as the same number.
std::string number_text(double value);

/// A parameter with its type erased, for flags, files, listings and sweeps. Borrows the struct that
/// it was made from.
struct ParamEntry {
  std::string section;
  std::string name;
  std::string type;      ///< "duration", "integer", "number", "bool", "text" or "choice".
  std::string range;     ///< "100ms .. 1m (log)", or the words of a choice.
  std::string fallback;  ///< The default.
  std::string meaning;
  std::string source;
  std::function<std::string()> get;
  /// Fails and changes nothing if the text is no legal value. The error names the legal values.
  std::function<Result<void>(std::string_view)> set;
  /// Sets a legal value drawn by chance.
  std::function<void(Rng&)> draw;

  std::string key() const { return section + "." + name; }
};

namespace detail {

Result<void> out_of_range(std::string_view text, const std::string& range);

template <typename Value>
std::string value_text(const Value& value) {
  if constexpr (std::same_as<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_enum_v<Value>) {
    return std::string(kWords<Value>[static_cast<std::size_t>(value)]);
  } else if constexpr (std::same_as<Value, Duration>) {
    return to_string(value);
  } else if constexpr (std::is_integral_v<Value>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return number_text(value);
  } else {
    return std::string(value);
  }
}

template <typename Value>
Result<Value> parse_value(std::string_view text) {
  if constexpr (std::same_as<Value, bool>) {
    return parse_bool(text);
  } else if constexpr (std::is_enum_v<Value>) {
    std::string words;
    for (std::size_t i = 0; i < std::size(kWords<Value>); ++i) {
      if (kWords<Value>[i] == text) return static_cast<Value>(i);
      words += (i ? ", " : "") + std::string(kWords<Value>[i]);
    }
    return failure(ErrorKind::usage, "'" + std::string(text) + "' is none of: " + words);
  } else if constexpr (std::same_as<Value, Duration>) {
    return parse_duration(text);
  } else if constexpr (std::is_integral_v<Value>) {
    const auto number = parse_integer(text);
    if (!number) return tl::unexpected(number.error());
    if (!std::in_range<Value>(*number)) {
      return failure(ErrorKind::usage, "'" + std::string(text) + "' is too large or too small");
    }
    return static_cast<Value>(*number);
  } else if constexpr (std::is_floating_point_v<Value>) {
    return parse_number(text);
  } else {
    return Value(text);
  }
}

/// The word for a type in listings.
template <typename Value>
constexpr const char* type_word() {
  if constexpr (std::same_as<Value, bool>)
    return "bool";
  else if constexpr (std::is_enum_v<Value>)
    return "choice";
  else if constexpr (std::same_as<Value, Duration>)
    return "duration";
  else if constexpr (std::is_integral_v<Value>)
    return "integer";
  else if constexpr (std::is_floating_point_v<Value>)
    return "number";
  else
    return "text";
}

template <typename Value>
std::string range_text(const Range<Value>& range) {
  if constexpr (std::same_as<Value, bool>) {
    return "true, false";
  } else if constexpr (std::is_enum_v<Value>) {
    std::string words;
    for (const auto word : kWords<Value>) words += (words.empty() ? "" : ", ") + std::string(word);
    return words;
  } else if constexpr (std::totally_ordered<Value> && std::is_trivially_copyable_v<Value>) {
    return value_text(range.min) + " .. " + value_text(range.max) +
        (range.scale == Scale::log ? " (log)" : "");
  } else {
    return "";
  }
}

/// A point of [least, most] at `share` of the way, on the given scale.
double point_between(double min, double max, Scale scale, double share);

template <typename Value>
Value draw_value(const Range<Value>& range, Rng& rng) {
  if constexpr (std::same_as<Value, bool>) {
    return rng.chance(0.5);
  } else if constexpr (std::is_enum_v<Value>) {
    return static_cast<Value>(rng.index(std::size(kWords<Value>)));
  } else if constexpr (std::same_as<Value, Duration>) {
    return Duration{static_cast<Duration::rep>(point_between(static_cast<double>(range.min.count()),
        static_cast<double>(range.max.count()), range.scale, rng.uniform()))};
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return static_cast<Value>(point_between(static_cast<double>(range.min),
        static_cast<double>(range.max), range.scale, rng.uniform()));
  } else {
    return Value{};
  }
}

/// The part of a parameter that does not depend on its type.
struct Heading {
  std::string_view section;
  std::string_view name;
  std::string_view meaning;
  std::string_view source;
};

/// The entry of `value`, which must outlive it. One function serves all parameters of a type: there
/// are hundreds of parameters, and a closure of its own for each took the compiler minutes.
template <typename Value>
ParamEntry make_entry(
    const Heading& heading, const Range<Value>& legal, const Value& fallback, Value& value) {
  const std::string range = range_text(legal);
  return {
      .section = std::string(heading.section),
      .name = std::string(heading.name),
      .type = type_word<Value>(),
      .range = range,
      .fallback = value_text(fallback),
      .meaning = std::string(heading.meaning),
      .source = std::string(heading.source),
      .get = [&value] { return value_text(value); },
      .set = [&value, legal, range](std::string_view text) -> Result<void> {
        auto parsed = parse_value<Value>(text);
        if (!parsed) return tl::unexpected(parsed.error());
        if (!within(legal, *parsed)) return out_of_range(text, range);
        value = std::move(*parsed);
        return {};
      },
      .draw = [&value, legal](Rng& rng) { value = draw_value(legal, rng); },
  };
}

}  // namespace detail

/// Appends an entry for each parameter of `params`, which must outlive them.
template <typename Params>
void append_entries(Params& params, std::vector<ParamEntry>& entries) {
  static_assert(complete<Params>());
  const Params defaults{};
  for_each_param(params, [&](const auto& line, auto& value) {
    using Line = std::remove_cvref_t<decltype(line)>;
    const detail::Heading heading{kSection<Params>, Line::kName, line.meaning, line.source};
    entries.push_back(detail::make_entry(heading, line.range, Line::of(defaults), value));
  });
}

}  // namespace dunlin::overlay
