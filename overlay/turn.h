// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/address.h"
#include "overlay/observer.h"
#include "overlay/rng.h"
#include "overlay/time.h"

namespace dunlin::overlay {

/// The exit for a protocol's messages. A driver implements it.
template <typename Message>
class Port {
 public:
  /// Sends, or loses, `message`. Never fails and never calls back during the same turn. A peer may
  /// send to itself: the message comes back in a later turn.
  virtual void send(const Endpoint& to, const Message& message) = 0;

 protected:
  ~Port() = default;
};

/// All that a protocol may see and touch during one step. Valid only during the call.
template <typename Message>
struct Turn {
  Time now;            ///< Constant for the whole step.
  Rng& rng;            ///< This peer's own stream.
  Port<Message>& out;  ///< Messages leave in the order they are sent.
  Observer& events;    ///< Events, for logs, metrics, plots and tests.
};

}  // namespace dunlin::overlay
