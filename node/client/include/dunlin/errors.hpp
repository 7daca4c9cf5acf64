// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "../dunlin.h"

// A part of dunlin/client.hpp: what goes wrong, and how long a call waits.
namespace dunlin {

/// Why a call failed.
class ClientError : public std::runtime_error {
 public:
  ClientError(int status, const std::string& text)
      : std::runtime_error(text.empty() ? dunlin_status_text(status) : text),
        status_(status) {}
  /// One of dunlin_status.
  int status() const noexcept { return status_; }

 private:
  int status_;
};

/// The agent will not do it.
class RefusedError : public ClientError {
 public:
  using ClientError::ClientError;
};
/// Not for this user: the job is another's, or it takes an administrator.
class ForbiddenError : public RefusedError {
 public:
  using RefusedError::RefusedError;
};
/// Too much is under way, for longer than the library asks again. Nothing was done.
class BusyError : public RefusedError {
 public:
  using RefusedError::RefusedError;
};
/// The user has, or has had, as much as a user may.
class QuotaError : public RefusedError {
 public:
  using RefusedError::RefusedError;
};
/// What it is about has ended, is held, or is in another state than it needs.
class ConflictError : public RefusedError {
 public:
  using RefusedError::RefusedError;
};

using Milliseconds = std::chrono::milliseconds;
/// A time to wait that does not end.
inline constexpr Milliseconds kForever{-1};

namespace detail {

/// The text that `call(char*, size)` fills.
template <typename Call>
std::string text_of(Call&& call) {
  std::string text(1024, '\0');
  call(text.data(), text.size());
  text.resize(text.find('\0'));
  return text;
}
/// Throws the error of that status, which must not be DUNLIN_OK.
[[noreturn]] inline void fail(int status, const std::string& text = {}) {
  switch (status) {
    case DUNLIN_REFUSED:
      throw RefusedError(status, text);
    case DUNLIN_FORBIDDEN:
      throw ForbiddenError(status, text);
    case DUNLIN_BUSY:
      throw BusyError(status, text);
    case DUNLIN_QUOTA:
      throw QuotaError(status, text);
    case DUNLIN_CONFLICT:
      throw ConflictError(status, text);
    default:
      throw ClientError(status, text);
  }
}
inline void check(int status, const std::string& text = {}) {
  if (status != DUNLIN_OK) fail(status, text);
}
/// As dunlin.h counts: less than 0 is for ever, and what does not fit is 24 days.
inline int ms(Milliseconds wait) {
  return static_cast<int>(std::clamp<std::int64_t>(wait.count(), -1, 0x7fff'ffff));
}

}  // namespace detail
}  // namespace dunlin
