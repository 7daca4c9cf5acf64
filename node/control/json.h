// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "overlay/result.h"
#include "sched/message.h"
#include "sched/resources.h"

// JSON of the control protocol: what an agent says, and what it makes of a client's words.
namespace dunlin::node {

/// Members keep the order they are given in.
using Json = nlohmann::ordered_json;

/// On one line; bytes that are not UTF-8 become U+FFFD.
std::string compact(const Json& json);

/// `bytes` exactly, though JSON has texts of UTF-8 only: a text if they are one, or else
/// {"base64": "..."}.
Json bytes_json(std::string_view bytes);
/// The bytes that bytes_json() made `json` of; empty if it makes no such `json` of any.
std::optional<std::string> text_bytes_of(const Json& json);

/// "cpu_milli", "memory_mib", "custom" and, if there are any, "rates" (KiB/s).
Json to_json(const sched::Resources& resources);
/// Their words.
Json amounts_json(sched::AmountSet amounts);
/// As replies name it: "usage", "not_found", ...
std::string_view word_of(ErrorKind kind);

/// Reads the members of a request. The words of a client are never trusted: the first error in them
/// is remembered and told by check(); until then readings return harmless values.
class Args {
 public:
  /// Borrows `object`.
  explicit Args(const Json& object);

  /// False if it is null, too.
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// A whole number in [least, most].
  std::int64_t number(std::string_view key, std::int64_t min, std::int64_t max);
  /// The same, or `fallback` if there is none.
  std::int64_t number(
      std::string_view key, std::int64_t min, std::int64_t max, std::int64_t fallback);
  /// A text of at most `max` bytes, none of them 0; empty if there is none.
  std::string text(std::string_view key, std::size_t max);
  /// A text or bytes (see bytes_json), with the bounds of text(). Words for programs, such as
  /// paths, need not be UTF-8.
  std::string bytes(std::string_view key, std::size_t max);
  /// False if there is none.
  bool flag(std::string_view key);
  /// An array of at most `max` elements; an empty one if there is none.
  const Json& list(std::string_view key, std::size_t max);
  /// The same, of texts only, without zero bytes.
  std::vector<std::string> texts(std::string_view key, std::size_t max);
  /// The same, of texts or bytes.
  std::vector<std::string> byte_texts(std::string_view key, std::size_t max);
  /// The same, of whole numbers below `below`; one that is said again is left out. `must_be`: what
  /// to say of others.
  std::vector<std::uint32_t> numbers(
      std::string_view key, std::size_t max, std::uint64_t below, std::string_view must_be);
  /// The members of the object `key`, at most `max` of them, each as bytes() reads it. In one pass:
  /// to look for each would take the square of their number.
  std::vector<std::pair<std::string, std::string>> byte_members(
      std::string_view key, std::size_t max, std::size_t bytes_max);
  /// The members of an object within this one; none if there is no such object.
  Args object(std::string_view key);
  /// The members of element `i` of the array `key`.
  Args element(std::string_view key, const Json& array, std::size_t i);
  /// The object as it came, for what no reading fits. Nothing in it was checked.
  const Json& json() const { return object_; }

  /// Remembers that `key` is wrong, if nothing was before.
  void fail(std::string_view key, std::string_view must_be);
  /// The same, where the reason is known already.
  void fail(const Error& error);
  /// Fails with `usage`, naming the first wrong member and what it must be.
  Result<void> check() const;

 private:
  Args(const Json& object, std::string place, std::shared_ptr<std::optional<Error>> wrong)
      : object_(object),
        place_(std::move(place)),
        wrong_(std::move(wrong)) {}
  const Json* find(std::string_view key) const;

  using Reading = std::optional<std::string>(const Json&);
  std::string text_of(std::string_view key, const Json& found, std::size_t max, Reading* reading);
  std::string text(std::string_view key, std::size_t max, Reading* reading);
  std::vector<std::string> texts(std::string_view key, std::size_t max, Reading* reading);

  const Json& object_;
  std::string place_;                            ///< "", or "groups[2]."
  std::shared_ptr<std::optional<Error>> wrong_;  ///< Shared with the objects within.
};

}  // namespace dunlin::node
