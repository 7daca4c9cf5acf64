// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "../dunlin.h"
#include "errors.hpp"

// A part of dunlin/client.hpp: what agents are asked, and what they tell.
namespace dunlin {

/// `text` as JSON, quotes included, to put a job together. Bytes that are no UTF-8 must go in
/// {"base64": "..."} instead.
inline std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      constexpr const char* kDigits = "0123456789abcdef";
      quoted += "\\u00";
      quoted += kDigits[byte >> 4];
      quoted += kDigits[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

/// A moment as the protocol counts it: ns since 1970.
inline std::int64_t at_ns(std::chrono::system_clock::time_point moment) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(moment.time_since_epoch()).count();
}

/// The members of a request, as JSON: Query().with("cluster", true).with("limit", 100).
class Query {
 public:
  /// Adds a member: a flag, a whole number, a text, or a list of texts. Each name once.
  template <typename Value>
  Query& with(std::string_view name, const Value& value) {
    members_ += (members_.empty() ? "" : ",") + json_quoted(name) + ":" + json_of(value);
    return *this;
  }
  /// The JSON object.
  std::string text() const { return "{" + members_ + "}"; }

 private:
  template <typename Value>
  static std::string json_of(const Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_integral_v<Value>) {
      return std::to_string(value);
    } else if constexpr (std::is_convertible_v<const Value&, std::string_view>) {
      return json_quoted(value);
    } else {
      std::string list;
      for (const auto& each : value) list += (list.empty() ? "" : ",") + json_of(each);
      return "[" + list + "]";
    }
  }

  std::string members_;
};

/// What an agent told. Movable.
class Answer {
 public:
  /// A JSON object, good as long as this.
  std::string_view text() const {
    std::size_t size = 0;
    const char* const text = dunlin_answer_text(handle_.get(), &size);
    return {text, size};
  }
  /// The page that follows, of a list; empty at its end. Throws ClientError.
  std::optional<Answer> next(Milliseconds wait = kForever) const {
    dunlin_answer* answer = nullptr;
    const int status = dunlin_answer_next(handle_.get(), &answer);
    if (status == DUNLIN_END) return std::nullopt;
    detail::check(status);
    return Answer(answer, wait);
  }

 private:
  friend class Client;
  struct Free {
    void operator()(dunlin_answer* answer) const { dunlin_answer_free(answer); }
  };
  Answer(dunlin_answer* handle, Milliseconds wait) : handle_(handle) {
    const int status = dunlin_answer_wait(handle, detail::ms(wait));
    if (status == DUNLIN_OK) return;
    detail::fail(status, detail::text_of([handle](char* text, std::size_t size) {
      dunlin_answer_error(handle, text, size);
    }));
  }

  std::unique_ptr<dunlin_answer, Free> handle_;
};

}  // namespace dunlin
