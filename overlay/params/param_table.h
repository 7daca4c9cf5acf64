// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "overlay/param_entries.h"
#include "overlay/params.h"
#include "overlay/result.h"
#include "overlay/rng.h"
#include "overlay/time.h"

// What a table of parameters is made of. For the sources that have one.
namespace dunlin::overlay {

/// The steps in which a study or a random draw walks a range.
enum class Scale { linear, log };

/// The least and the greatest legal value, both included. Ignored for bool.
template <typename Value>
struct Range {
  Value min{};
  Value max{};
  Scale scale = Scale::linear;
};
/// A text has no range.
template <>
struct Range<std::string> {};

namespace detail {

template <typename Owner, typename Value>
Owner owner_of(Value Owner::*);
template <typename Owner, typename Value>
Value value_of(Value Owner::*);

/// The name of a member, cut out of this function's own name as the compiler prints it. C++20 has
/// no other way from a member to its name.
template <auto Member>
constexpr std::string_view member_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(text.find("Member = ") + 9);
  text = text.substr(0, text.find_first_of(";]"));
  while (text.ends_with(')')) text.remove_suffix(1);
  return text.substr(text.rfind(':') + 1);
}

/// Stands for any initialiser, so that members can be counted by trying.
struct Anything {
  template <typename T>
  constexpr operator T() const;
};

/// The number of members: the longest list of initialisers that T takes.
template <typename T, typename... Args>
constexpr std::size_t count_members() {
  if constexpr (requires { T{Args{}..., Anything{}}; }) {
    return count_members<T, Args..., Anything>();
  } else {
    return sizeof...(Args);
  }
}

}  // namespace detail

/// True if a parameter may have this value. Only numbers and durations have bounds.
template <typename Value>
constexpr bool within(const Range<Value>& range, const Value& value) {
  if constexpr (std::same_as<Value, bool> || std::is_enum_v<Value> ||
      !std::totally_ordered<Value> || !std::is_trivially_copyable_v<Value>) {
    return true;
  } else {
    return range.min <= value && value <= range.max;
  }
}

/// One line of a table. `Param<&CyclonParams::period>{{100ms, 60s, Scale::log}, "meaning"}`.
template <auto Member>
struct Param {
  using Owner = decltype(detail::owner_of(Member));
  using Value = decltype(detail::value_of(Member));
  static constexpr std::string_view kName = detail::member_name<Member>();

  Range<Value> range;
  std::string_view meaning;
  std::string_view source = "";

  static constexpr Value& of(Owner& owner) { return owner.*Member; }
  static constexpr const Value& of(const Owner& owner) { return owner.*Member; }

  constexpr bool accepts(const Value& value) const { return within(range, value); }
};

/// The table of a parameter struct: a std::tuple of Param lines.
template <typename Params>
inline constexpr auto kParams = std::tuple<>{};

/// The section of the configuration file that holds a struct: "cyclon" for `[cyclon]`.
template <typename Params>
inline constexpr std::string_view kSection = "";

/// Calls `visit(line, value)` for each parameter of `params`, in table order.
template <typename Params, typename Visit>
constexpr void for_each_param(Params& params, Visit&& visit) {
  std::apply([&](const auto&... line) { (visit(line, line.of(params)), ...); },
      kParams<std::remove_const_t<Params>>);
}

/// True if every member of Params has a line and every default is within its range.
template <typename Params>
constexpr bool complete() {
  constexpr auto lines = std::tuple_size_v<std::remove_const_t<decltype(kParams<Params>)>>;
  if (lines != detail::count_members<Params>()) return false;
  bool fine = !kSection<Params>.empty();
#ifndef __clang__  // It cannot evaluate the std::string of libstdc++ 12 at compile time; g++ does.
  Params defaults{};  // Not const: texts must be constant-evaluable too.
  for_each_param(
      defaults, [&](const auto& line, const auto& value) { fine = fine && line.accepts(value); });
#endif
  return fine;
}

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

/// What append_entries() of a struct with a table does.
template <typename Params>
void append_table(Params& params, std::vector<ParamEntry>& entries) {
  static_assert(complete<Params>());
  const Params defaults{};
  for_each_param(params, [&](const auto& line, auto& value) {
    using Line = std::remove_cvref_t<decltype(line)>;
    const detail::Heading heading{kSection<Params>, Line::kName, line.meaning, line.source};
    entries.push_back(detail::make_entry(heading, line.range, Line::of(defaults), value));
  });
}

}  // namespace dunlin::overlay
