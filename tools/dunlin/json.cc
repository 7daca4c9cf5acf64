// SPDX-License-Identifier: MIT
#include "tools/dunlin/json.h"

#include <cstdio>
#include <utility>

#include "node/control/json.h"

// JSON comes from agents of other versions and goes to scripts. A member that is missing, or of
// another kind, reads as null, as if it were not there; and each document that is printed begins
// with its schema, so that a script can refuse one that it does not know.
namespace dunlin::cli {
namespace {

/// What users of this program are told of: which node drives a job is settled between agents.
constexpr ErrorKind kKinds[] = {ErrorKind::usage, ErrorKind::not_found, ErrorKind::refused,
    ErrorKind::forbidden, ErrorKind::busy, ErrorKind::quota, ErrorKind::conflict, ErrorKind::io,
    ErrorKind::corrupt, ErrorKind::timeout};

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
  Json told = {{"kind", word_of(error.kind)}, {"text", error.text}};
  if (error.retry_ns > 0) told["retry_ns"] = error.retry_ns;
  print_json("dunlin.error/1", {{"error", std::move(told)}});
}

std::string_view word_of(ErrorKind kind) {
  return node::word_of(kind);
}

ErrorKind kind_of(std::string_view word) {
  for (const ErrorKind kind : kKinds) {
    if (word_of(kind) == word) return kind;
  }
  // Agents of later versions may have other words: what is unknown is a failure like any other.
  return word == "stopping" ? ErrorKind::refused : ErrorKind::io;
}

}  // namespace dunlin::cli
