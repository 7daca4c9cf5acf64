// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "overlay/ensure.h"
#include "overlay/time.h"

// Every parameter stands once: a member of a plain struct (type, default) and one line in that
// struct's table (range, scale, meaning, source). Flags, TOML, `dunlin params`, sweep axes and the
// random draws of tests are all derived from the table; see param_entries.h.
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

/// The table of a parameter struct: a std::tuple of Param lines. Specialise it beside the struct.
template <typename Params>
inline constexpr auto kParams = std::tuple<>{};

/// The section of the configuration file that holds a struct: "cyclon" for `[cyclon]`.
template <typename Params>
inline constexpr std::string_view kSection = "";

/// The words of an enum that is a parameter, in the order of its enumerators from 0.
template <typename Enum>
inline constexpr std::string_view kWords[1] = {""};

/// Calls `visit(line, value)` for each parameter of `params`, in table order.
template <typename Params, typename Visit>
constexpr void for_each_param(Params& params, Visit&& visit) {
  std::apply([&](const auto&... line) { (visit(line, line.of(params)), ...); },
      kParams<std::remove_const_t<Params>>);
}

/// True if every member of Params has a line and every default is within its range. It is asserted
/// where entries are made, not beside each table: few files do that, and nearly all see the tables.
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

}  // namespace dunlin::overlay
