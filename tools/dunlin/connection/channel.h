// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "node/client/frames.h"
#include "node/net/stream_client.h"
#include "tools/dunlin/connection/socket.h"

namespace dunlin::cli {

/// Whole control messages to and from one agent.
class Channel {
 public:
  virtual ~Channel() = default;

  /// Sends messages, each in a frame (node/client/frames.h). Fails with `io`.
  virtual Result<void> send(std::string_view frames) = 0;
  /// The next message. Fails with `timeout` at the deadline or on a wake-up (nothing is lost: call
  /// again), with `io` if the agent is gone, and with `corrupt` if its words make no sense.
  virtual Result<std::string> receive(Clock::time_point deadline) = 0;
  /// A descriptor that ends receive() early when it becomes readable; -1: none.
  virtual void wake_by(int fd) = 0;
};

/// On a Unix socket: in frames.
class PlainChannel final : public Channel {
 public:
  explicit PlainChannel(Socket socket) : socket_(std::move(socket)) {}

  Result<void> send(std::string_view frames) override;
  Result<std::string> receive(Clock::time_point deadline) override;
  void wake_by(int fd) override { socket_.wake_by(fd); }

 private:
  Socket socket_;
  client::FrameReader input_;
};

/// On a sealed stream to any agent of the cluster.
class SealedChannel final : public Channel {
 public:
  explicit SealedChannel(std::unique_ptr<node::StreamClient> client) : client_(std::move(client)) {}

  Result<void> send(std::string_view frames) override;
  Result<std::string> receive(Clock::time_point deadline) override;
  void wake_by(int fd) override { wake_ = fd; }

 private:
  std::unique_ptr<node::StreamClient> client_;
  int wake_ = -1;
};

}  // namespace dunlin::cli
