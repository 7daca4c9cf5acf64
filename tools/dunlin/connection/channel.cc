// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/channel.h"

#include <array>
#include <poll.h>

namespace dunlin::cli {
namespace {

constexpr std::size_t kReadSize = 64 * 1024;
constexpr std::size_t kLengthSize = 4;

tl::unexpected<Error> gone() {
  return failure(ErrorKind::io,
      "the agent is gone: it closed the connection; the jobs it accepted are safe (dunlin jobs)");
}

std::size_t length_of(std::string_view bytes) {
  std::size_t length = 0;
  for (std::size_t i = kLengthSize; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

tl::unexpected<Error> too_large() {
  return failure(ErrorKind::usage, "a request of more than 16 MiB: split the job");
}

}  // namespace

Result<void> PlainChannel::send(std::string_view message) {
  if (message.size() > kMessageMax) return too_large();
  std::string frame;
  frame.reserve(kLengthSize + message.size());
  for (std::size_t i = 0; i < kLengthSize; ++i) {
    frame += static_cast<char>(message.size() >> (8 * i) & 0xff);
  }
  frame += message;
  return socket_.write(frame);
}

Result<std::string> PlainChannel::receive(Clock::time_point deadline) {
  while (true) {
    if (input_.size() >= kLengthSize) {
      const std::size_t length = length_of(input_);
      if (length > kMessageMax) {
        return failure(ErrorKind::corrupt,
            "the agent's answer is larger than any may be; is it an agent that listens there?");
      }
      if (input_.size() >= kLengthSize + length) {
        std::string message = input_.substr(kLengthSize, length);
        input_.erase(0, kLengthSize + length);
        return message;
      }
    }
    std::array<char, kReadSize> piece;
    const auto size = socket_.read(piece, deadline);
    if (!size) return tl::unexpected(size.error());
    if (*size == 0) return gone();
    input_.append(piece.data(), *size);
  }
}

Result<void> SealedChannel::send(std::string_view message) {
  if (message.size() > kMessageMax) return too_large();
  return client_->send(message);
}

Result<std::string> SealedChannel::receive(Clock::time_point deadline) {
  while (true) {
    // Messages read already come first. The wait is here, not in the client, because here Ctrl-C is
    // seen.
    auto message = client_->receive(std::chrono::milliseconds(1));
    if (message && *message) return std::move(**message);
    if (message) return gone();
    if (message.error().kind != ErrorKind::timeout) return tl::unexpected(message.error());
    pollfd ready[] = {{.fd = client_->descriptor(), .events = POLLIN, .revents = 0},
        {.fd = wake_, .events = POLLIN, .revents = 0}};
    const int count = poll(ready, wake_ >= 0 ? 2 : 1, patience_until(deadline));
    if (count > 0 && ready[0].revents != 0) continue;
    if (count > 0) return failure(ErrorKind::timeout, "interrupted");
    if (Clock::now() >= deadline) return failure(ErrorKind::timeout, "the agent does not answer");
  }
}

}  // namespace dunlin::cli
