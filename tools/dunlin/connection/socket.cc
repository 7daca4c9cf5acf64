// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// A plain socket to the agent of this machine. Reading waits for three things at once: bytes, the
// deadline, and a descriptor that a signal makes readable. Bytes come first, so that what was said
// before a Ctrl-C is still heard.
namespace dunlin::cli {
// Rounded up: poll() must not return before the deadline, or the caller would look in vain.
int patience_until(Clock::time_point deadline) {
  if (deadline == kNoDeadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  // An hour at a time: poll() takes an int of milliseconds, and the caller looks again.
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));
}

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Result<Socket> Socket::connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The kernel has room for 108 bytes, and one of them ends the path.
  if (path.size() >= sizeof address.sun_path) {
    return failure(ErrorKind::usage, path + ": a socket's path is at most 107 bytes");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return failure_of(errno, "socket");
  Socket connected(fd);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return failure_of(errno, path);
  }
  return connected;
}

Result<void> Socket::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // MSG_NOSIGNAL: an agent that is gone is an error to tell, not a signal that ends this process.
    const ssize_t written = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure_of(errno, "the agent is gone");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::size_t> Socket::read(std::span<char> into, Clock::time_point deadline) {
  while (true) {
    pollfd ready[] = {
        {.fd = fd_, .events = POLLIN, .revents = 0}, {.fd = wake_, .events = POLLIN, .revents = 0}};
    const int count = poll(ready, wake_ >= 0 ? 2 : 1, patience_until(deadline));
    // A signal is no error: a command that waits for one is woken by a descriptor.
    if (count < 0 && errno != EINTR) return failure_of(errno, "poll");
    // Bytes before the wake-up: what the agent has said by now is not lost by a Ctrl-C.
    if (count > 0 && ready[0].revents != 0) {
      const ssize_t size = recv(fd_, into.data(), into.size(), 0);
      if (size >= 0) return static_cast<std::size_t>(size);
      if (errno != EINTR) return failure_of(errno, "the agent is gone");
    }
    if (count > 0 && ready[1].revents != 0) return failure(ErrorKind::timeout, "interrupted");
    if (Clock::now() >= deadline) return failure(ErrorKind::timeout, "the agent does not answer");
  }
}

}  // namespace dunlin::cli
