// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "overlay/result.h"

namespace dunlin::cli {

using Clock = std::chrono::steady_clock;
inline constexpr Clock::time_point kNoDeadline = Clock::time_point::max();

/// The timeout of poll() for a wait until `deadline`, in ms.
/// -1, without end, for kNoDeadline; an hour at most otherwise, so the caller must look at the
/// clock.
int patience_until(Clock::time_point deadline);

/// A connected stream socket that waits. Movable; closes itself.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket();
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), wake_(other.wake_) {}
  Socket& operator=(Socket&&) = delete;

  /// Connects to a Unix socket. Fails with `io`, keeping the system's code.
  static Result<Socket> connect(const std::string& path);

  /// Writes all bytes. Fails with `io`.
  Result<void> write(std::string_view bytes);
  /// Reads at least one byte; 0 at the end. Fails with `timeout` at the deadline or when the
  /// wake-up descriptor is readable, otherwise with `io`.
  Result<std::size_t> read(std::span<char> into, Clock::time_point deadline);
  /// A descriptor that ends a read early when it becomes readable (Ctrl-C); -1: none.
  void wake_by(int fd) { wake_ = fd; }

 private:
  int fd_;
  int wake_ = -1;
};

}  // namespace dunlin::cli
