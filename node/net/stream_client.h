// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node/net/keyring.h"
#include "node/net/sealed_stream.h"
#include "overlay/address.h"
#include "overlay/result.h"

namespace dunlin::node {

/// The command line's end of a remote control connection: blocking, without an event loop.
class StreamClient {
 public:
  using Milliseconds = std::chrono::milliseconds;

  /// Connects, proves that we hold the cluster key and that the agent does. `agent` is "host:port".
  /// Fails, naming the agent and what to check, if it does not resolve, accept, or prove itself.
  static Result<std::unique_ptr<StreamClient>> connect(std::string_view agent,
      const Keyring& keyring,
      Milliseconds timeout = std::chrono::seconds(5));
  ~StreamClient();

  /// The id that the agent has proven.
  overlay::PeerId agent() const { return peer_id(sealed_.peer().key); }

  /// Sends one control message of at most SealedStream::kControlMax bytes.
  Result<void> send(std::string_view message);
  /// The next control message. Empty if the agent has ended the connection. Fails with kind
  /// `timeout` if none came in time (0: wait for ever); the connection can still be used then.
  Result<std::optional<std::string>> receive(Milliseconds timeout = Milliseconds(0));
  /// Says good-bye.
  void close();

  /// A descriptor for poll(): readable when receive() may have a message.
  int descriptor() const { return fd_; }

 private:
  using Clock = std::chrono::steady_clock;

  StreamClient(int fd, std::string name, const Keyring& keyring);

  Result<void> shake_hands(Clock::time_point deadline);
  Result<void> write_all(Clock::time_point deadline);
  /// True if something came, false at the end of the stream.
  Result<bool> read_some(Clock::time_point deadline);
  tl::unexpected<Error> refused() const;

  int fd_;
  std::string name_;  // The name of the agent, in errors.
  SealedStream sealed_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace dunlin::node
