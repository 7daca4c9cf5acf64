// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace dunlin {

/// The kind of a failure. It decides the exit status: `usage` is 2, the others are 1.
enum class ErrorKind {
  usage,      ///< The caller asked for something malformed.
  not_found,  ///< The thing named does not exist.
  refused,    ///< Understood, and not possible here.
  forbidden,  ///< Not for this user.
  busy,       ///< Too much is under way; see `Error::retry_ns`.
  quota,      ///< The user has, or has had, as much as a user may.
  conflict,   ///< What it is about has ended, is held, or is in another state than it needs.
  io,         ///< The operating system said no; see `Error::code`.
  corrupt,    ///< Bytes on disk or wire are not what they must be.
  timeout,
  elsewhere,  ///< Another node answers it by now: ask again.
};

/// An expected operating failure, in words that name the place and the cure.
struct Error {
  ErrorKind kind = ErrorKind::io;
  std::string text;
  int code = 0;  ///< errno, or 0.
  std::int64_t retry_ns =
      0;  ///< Of `busy`: when the same may be asked again, from now; 0: unknown.

  friend bool operator==(const Error&, const Error&) = default;
};

/// A value, or an Error that the caller must look at.
template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(ErrorKind kind, std::string text) {
  return tl::unexpected<Error>(Error{kind, std::move(text), 0});
}

/// There is no room at the moment: the same may be asked for again after `retry_ns`.
inline tl::unexpected<Error> too_busy(std::string text, std::int64_t retry_ns) {
  return tl::unexpected<Error>(Error{ErrorKind::busy, std::move(text), 0, retry_ns});
}

/// "`what`: Permission denied", keeping `code`.
inline tl::unexpected<Error> failure_of(int code, const std::string& what) {
  return tl::unexpected<Error>(Error{ErrorKind::io, what + ": " + std::strerror(code), code});
}

}  // namespace dunlin
