// SPDX-License-Identifier: MIT
#include "tools/dunlin/connection/channel.h"

#include <array>
#include <poll.h>

// One connection in two kinds: plain frames on the socket of this machine's agent, sealed records
// on a stream to another machine's. Both wait with the same deadline and are woken by the same
// signals, so commands need not know which they have.
namespace dunlin::cli {
namespace {

constexpr std::size_t kReadSize = 64 * 1024;

tl::unexpected<Error> gone() {
  return failure(ErrorKind::io,
      "the agent is gone: it closed the connection; the jobs it accepted are safe (dunlin jobs)");
}

}  // namespace

Result<void> PlainChannel::send(std::string_view frames) {
  return socket_.write(frames);
}

Result<std::string> PlainChannel::receive(Clock::time_point deadline) {
  while (true) {
    if (auto message = input_.next()) return std::move(*message);
    if (input_.broken()) {
      return failure(ErrorKind::corrupt,
          "the agent's answer is larger than any may be; is it an agent that listens there?");
    }
    std::array<char, kReadSize> piece;
    const auto size = socket_.read(piece, deadline);
    if (!size) return tl::unexpected(size.error());
    // The end of the stream: the agent closed it, or has died.
    if (*size == 0) return gone();
    input_.feed({piece.data(), *size});
  }
}

Result<void> SealedChannel::send(std::string_view frames) {
  client::FrameReader reader;
  reader.feed(frames);
  // A stream has records of its own: frames, as a socket needs them, are taken off.
  while (const auto message = reader.next()) {
    if (auto sent = client_->send(*message); !sent) return sent;
  }
  return {};
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
    // Nothing came from the agent, so it was the wake-up.
    if (count > 0) return failure(ErrorKind::timeout, "interrupted");
    if (Clock::now() >= deadline) return failure(ErrorKind::timeout, "the agent does not answer");
  }
}

}  // namespace dunlin::cli
