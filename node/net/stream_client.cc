// SPDX-License-Identifier: MIT
#include "node/net/stream_client.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <span>
#include <sys/socket.h>
#include <unistd.h>

#include "node/net/resolve.h"
#include "node/net/socket_address.h"

// The command line's end of a sealed stream to an agent of another machine. It has one conversation
// and nothing else to do, so it blocks, with a deadline for each step; the seal is the agent's own
// code.
namespace dunlin::node {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadSize = std::size_t{64} * 1024;
constexpr auto kSendTimeout = std::chrono::seconds(30);

/// True if the socket became ready in time.
bool wait_for(int fd, short events, Clock::time_point deadline) {
  while (true) {
    int wait = -1;
    if (deadline != Clock::time_point::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
      wait = static_cast<int>(
          std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
    }
    pollfd waiting{.fd = fd, .events = events, .revents = 0};
    const int ready = ::poll(&waiting, 1, wait);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// A connected socket, or the error's number.
Result<int> dial(const overlay::Address& to, const std::string& name, Clock::time_point deadline) {
  const int family = family_of(to);
  const int fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return failure_of(errno, "cannot open a socket");
  SocketAddress address;
  to_socket(to, family, address);
  int code = 0;
  if (::connect(fd, address.get(), address.size) != 0) {
    code = errno;
    if (code == EINPROGRESS) {
      code = ETIMEDOUT;
      socklen_t size = sizeof code;
      if (wait_for(fd, POLLOUT, deadline)) ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size);
    }
  }
  if (code != 0) {
    ::close(fd);
    return failure_of(code, "cannot connect to the agent at " + name);
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  return fd;
}

}  // namespace

StreamClient::StreamClient(int fd, std::string name, const Keyring& keyring)
    : fd_(fd),
      name_(std::move(name)),
      // A new identity for each conversation: a client is no node, and proves itself by the cluster
      // key.
      sealed_(SealedStream::Role::initiator, Identity::generate(), keyring, 0, 0),
      buffer_(kReadSize) {}

StreamClient::~StreamClient() {
  ::close(fd_);
}

Result<std::unique_ptr<StreamClient>> StreamClient::connect(
    std::string_view agent, const Keyring& keyring, Milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  auto addresses = resolve(agent, kDefaultPort);
  if (!addresses) return tl::unexpected(addresses.error());
  Result<int> fd = 0;
  for (const overlay::Address& address : *addresses) {
    fd = dial(address, std::string(agent), deadline);
    if (fd) break;
  }
  if (!fd) return tl::unexpected(fd.error());
  std::unique_ptr<StreamClient> client(new StreamClient(*fd, std::string(agent), keyring));
  if (auto done = client->shake_hands(deadline); !done) return tl::unexpected(done.error());
  return client;
}

Result<void> StreamClient::shake_hands(Clock::time_point deadline) {
  if (auto written = write_all(deadline); !written) return written;
  while (!sealed_.open()) {
    const auto more = read_some(deadline);
    if (!more) return tl::unexpected(more.error());
    if (*more) sealed_.next();
    if (!*more || sealed_.failure()) return refused();
  }
  // The last message of the handshake, which next() has written.
  return write_all(deadline);
}

tl::unexpected<Error> StreamClient::refused() const {
  const std::string agent = "the agent at " + name_;
  switch (sealed_.failure().value_or(DropReason::truncated)) {
    // An agent that refuses a client hangs up without a word, so its reason can only be guessed.
    case DropReason::truncated:
      return failure(ErrorKind::refused,
          agent +
              " hung up: its cluster key file names another "
              "cluster or lacks our key, or it is busy");
    case DropReason::forged:
      return failure(ErrorKind::refused, agent + " does not hold our cluster key");
    default:
      return failure(ErrorKind::refused,
          agent + " failed to prove itself (" + std::string(to_string(*sealed_.failure())) + ")");
  }
}

Result<void> StreamClient::write_all(Clock::time_point deadline) {
  std::string& output = sealed_.output();
  std::size_t sent = 0;
  while (sent < output.size()) {
    const ssize_t now = ::send(fd_, output.data() + sent, output.size() - sent, MSG_NOSIGNAL);
    if (now >= 0) {
      sent += static_cast<std::size_t>(now);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!wait_for(fd_, POLLOUT, deadline)) {
        return failure(ErrorKind::timeout, "the agent at " + name_ + " takes no more");
      }
    } else if (errno != EINTR) {
      return failure_of(errno, "sending to the agent at " + name_);
    }
  }
  output.clear();
  return {};
}

Result<bool> StreamClient::read_some(Clock::time_point deadline) {
  while (true) {
    const ssize_t got = ::recv(fd_, buffer_.data(), buffer_.size(), 0);
    if (got > 0) {
      sealed_.feed(std::span(buffer_).first(static_cast<std::size_t>(got)));
      return true;
    }
    if (got == 0 || errno == ECONNRESET) {
      sealed_.end_of_input();
      return false;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      return failure_of(errno, "reading from the agent at " + name_);
    }
    if (!wait_for(fd_, POLLIN, deadline)) {
      return failure(ErrorKind::timeout, "no answer from the agent at " + name_);
    }
  }
}

Result<void> StreamClient::send(std::string_view message) {
  sealed_.send(Channel::control, message);
  return write_all(Clock::now() + kSendTimeout);
}

Result<std::optional<std::string>> StreamClient::receive(Milliseconds timeout) {
  const auto deadline = timeout.count() > 0 ? Clock::now() + timeout : Clock::time_point::max();
  while (true) {
    if (const auto frame = sealed_.next(); frame && frame->channel == Channel::control) {
      return std::string(frame->bytes);
    }
    if (sealed_.finished()) return std::nullopt;
    if (sealed_.failure()) {
      return failure(ErrorKind::io,
          "the connection to the agent at " + name_ + " broke (" +
              std::string(to_string(*sealed_.failure())) + ")");
    }
    const auto more = read_some(deadline);
    if (!more) return tl::unexpected(more.error());
  }
}

void StreamClient::close() {
  if (sealed_.finished() || sealed_.failure()) return;
  // The final chunk tells the agent that this end was meant, not cut off. The wait is short,
  // because the process is about to exit, and an agent that misses the chunk only sees a cut
  // connection.
  sealed_.finish();
  write_all(Clock::now() + std::chrono::seconds(1));
  ::shutdown(fd_, SHUT_WR);
}

}  // namespace dunlin::node
