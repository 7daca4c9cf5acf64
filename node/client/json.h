// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

// What an agent says is never trusted: a member of the wrong type counts as missing. `Document` is
// any JSON of nlohmann's: the command line keeps members in the order that they came in.
namespace dunlin::client {

using Json = nlohmann::json;

/// A member of an object; nullptr if there is none.
template <typename Document>
const Document* member(const Document& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}
/// The same, if it is an array; else an empty one.
template <typename Document>
const Document& list_of(const Document& object, std::string_view name) {
  static const Document empty = Document::array();
  const Document* const found = member(object, name);
  return found != nullptr && found->is_array() ? *found : empty;
}
/// A text; empty if it is none. Agents of later versions may put anything anywhere.
template <typename Document>
std::string text_of(const Document& object, std::string_view name) {
  const Document* const found = member(object, name);
  const bool is_text = found != nullptr && found->is_string();
  return is_text ? found->template get<std::string>() : std::string();
}
/// True only if it is `true`.
template <typename Document>
bool flag_of(const Document& object, std::string_view name) {
  const Document* const found = member(object, name);
  return found != nullptr && found->is_boolean() && found->template get<bool>();
}
/// A whole number that `Number` can hold; 0 if it is none.
template <typename Number, typename Document>
Number number_of(const Document& object, std::string_view name) {
  const Document* const found = member(object, name);
  if (found == nullptr || !found->is_number_integer()) return 0;
  const auto value = found->template get<std::int64_t>();
  // A positive one may have been too large for that, and negative by now.
  if (found->is_number_unsigned() || value >= 0) {
    const auto positive = found->template get<std::uint64_t>();
    const bool fits = positive <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
    return fits ? static_cast<Number>(positive) : Number{0};
  }
  const bool fits = std::numeric_limits<Number>::is_signed &&
      value >= static_cast<std::int64_t>(std::numeric_limits<Number>::min());
  return fits ? static_cast<Number>(value) : Number{0};
}
/// `text` as JSON, quotes included; bytes that are no UTF-8 become U+FFFD.
inline std::string json_text(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dunlin::client
