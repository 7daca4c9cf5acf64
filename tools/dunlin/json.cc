// SPDX-License-Identifier: MIT
#include "tools/dunlin/json.h"

#include <cstdio>
#include <iterator>

// JSON comes from agents of other versions and goes to scripts. A member that is missing, or of
// another kind, reads as null, as if it were not there; and each document that is printed begins
// with its schema, so that a script can refuse one that it does not know.
namespace dunlin::cli {
namespace {

// By the order of ErrorKind.
constexpr std::string_view kKindWords[] = {
    "usage", "not_found", "refused", "io", "corrupt", "timeout"};

}  // namespace

const Json& member(const Json& object, std::string_view key) {
  static const Json null;
  if (!object.is_object()) return null;
  // Not `object[key]`, which adds what is missing, or throws where it is const.
  const auto found = object.find(std::string(key));
  return found == object.end() ? null : *found;
}

std::string compact(const Json& json) {
  // Bytes that are no UTF-8 become U+FFFD: output must not fail for the name of a file.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void print_json(std::string_view schema, const Json& fields) {
  // First, with its version: a reader knows what follows before it reads on.
  Json document = {{"schema", schema}};
  for (const auto& [key, field] : fields.items()) document[key] = field;
  const std::string text = document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_json_error(const Error& error) {
  print_json("dunlin.error/1", {{"error", {{"kind", word_of(error.kind)}, {"text", error.text}}}});
}

std::string_view word_of(ErrorKind kind) {
  return kKindWords[static_cast<std::size_t>(kind)];
}

ErrorKind kind_of(std::string_view word) {
  for (std::size_t i = 0; i < std::size(kKindWords); ++i) {
    if (kKindWords[i] == word) return static_cast<ErrorKind>(i);
  }
  // Agents of later versions may have other words: what is unknown is a failure like any other.
  return word == "stopping" ? ErrorKind::refused : ErrorKind::io;
}

}  // namespace dunlin::cli
