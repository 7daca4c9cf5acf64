// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "overlay/ids.h"

namespace dunlin::node {

/// Whole control messages, both ways, between an agent and a client. The control protocol gives
/// them their meaning; the implementation carries them (sealed stream, Unix socket).
class ControlConnection {
 public:
  /// The largest message either side may send.
  static constexpr std::size_t kMessageMax = 16 << 20;

  virtual ~ControlConnection() = default;

  /// The peer that the client says it is; no peer for a local client.
  virtual overlay::PeerId peer() const = 0;

  /// Queues one message of at most kMessageMax bytes. False, and nothing sent, if the connection
  /// is closed or the client reads so slowly that its queue is full (it is closed then).
  virtual bool send(std::string_view message) = 0;
  /// Bytes that wait for the client to read them: pause while this is large.
  virtual std::size_t queued() const = 0;
  /// Reads no more from the other side until this is taken back, so that it has to wait with what
  /// it sends. The end of the connection may go unnoticed meanwhile.
  virtual void pause(bool on) = 0;
  /// Sends what is queued, then ends. on_close is still called.
  virtual void close() = 0;

  /// Called for each message from the client. The bytes live only during the call.
  virtual void on_message(std::function<void(std::string_view)> handler) = 0;
  /// Called once, when the connection has ended by whatever cause; never from within send().
  virtual void on_close(std::function<void()> handler) = 0;
  /// Called when all that was queued has been handed to the system.
  virtual void on_drained(std::function<void()> handler) = 0;
};

}  // namespace dunlin::node
