// SPDX-License-Identifier: MIT
#pragma once

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

  friend bool operator==(const Error&, const Error&) = default;
};

/// A value, or an Error that the caller must look at.
template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> failure(ErrorKind kind, std::string text) {
  return tl::unexpected<Error>(Error{kind, std::move(text), 0});
}

/// "`what`: Permission denied", keeping `code`.
inline tl::unexpected<Error> failure_of(int code, const std::string& what) {
  return tl::unexpected<Error>(Error{ErrorKind::io, what + ": " + std::strerror(code), code});
}

}  // namespace dunlin
