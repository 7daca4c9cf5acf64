// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "overlay/result.h"

// Reading JSON that another program wrote, and writing our own.
namespace dunlin::cli {

/// Members keep the order they are given in.
using Json = nlohmann::ordered_json;

/// Null if `object` is no object or has no such member.
const Json& member(const Json& object, std::string_view key);

/// `found` as a T, or `fallback` if it is of another kind, or a number that T cannot hold: an agent
/// of another version may say anything. Never throws.
template <typename T>
T as(const Json& found, T fallback = T{}) {
  if constexpr (std::is_same_v<T, bool>) {
    return found.is_boolean() ? found.get<bool>() : fallback;
  } else if constexpr (std::is_integral_v<T>) {
    // By kind, not by get<T>(): that casts, and a number too large for T would become another.
    if (found.is_number_unsigned()) {
      const auto number = found.get<std::uint64_t>();
      return std::in_range<T>(number) ? static_cast<T>(number) : fallback;
    }
    if (found.is_number_integer()) {
      const auto number = found.get<std::int64_t>();
      return std::in_range<T>(number) ? static_cast<T>(number) : fallback;
    }
    // Far from the ends of T, where a double may round beyond them.
    const double number = found.is_number() ? found.get<double>() : 0;
    const bool fits = found.is_number() &&
        number > static_cast<double>(std::numeric_limits<T>::min()) / 2 - 1 &&
        number < static_cast<double>(std::numeric_limits<T>::max()) / 2;
    return fits ? static_cast<T>(number) : fallback;
  } else if constexpr (std::is_floating_point_v<T>) {
    return found.is_number() ? found.get<T>() : fallback;
  } else {
    return found.is_string() ? T(found.get_ref<const std::string&>()) : std::move(fallback);
  }
}

/// The member `key` as a T, or `fallback` if it is missing or as() gives that. Never throws.
template <typename T>
T value(const Json& object, std::string_view key, T fallback = T{}) {
  return as<T>(member(object, key), std::move(fallback));
}

/// `json` on one line; bytes that are not UTF-8 become U+FFFD.
std::string compact(const Json& json);

/// Writes {"schema": `schema`, ...`fields`} to stdout, on many lines. Every command's --json output
/// is exactly one such value. `schema` is "dunlin.<what>/<version>": the version grows when a
/// member changes its meaning or goes; new members come without notice.
void print_json(std::string_view schema, const Json& fields);

/// Writes {"schema": "dunlin.error/1", "error": {"kind", "text"}} to stdout; and "retry_ns" of an
/// agent that is busy, if it said when to come again.
void print_json_error(const Error& error);

/// "usage", "not_found", ...
std::string_view word_of(ErrorKind kind);
/// The inverse of word_of(); `io` for words of a newer agent.
ErrorKind kind_of(std::string_view word);

}  // namespace dunlin::cli
