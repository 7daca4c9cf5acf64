// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/message.h"
#include "sched/cell/message.h"
#include "sched/message.h"
#include "sim/measure/traffic.h"

namespace dunlin::sim {

/// The exit of a transport. Peers are numbers here, from 0.
class Receiver {
 public:
  /// Called from the event loop, in the context of peer `to`.
  virtual void receive(std::uint32_t to, std::uint32_t from, const overlay::Message& message) = 0;
  virtual void receive(std::uint32_t to, std::uint32_t from, const sched::Message& message) = 0;
  virtual void receive(
      std::uint32_t to, std::uint32_t from, const sched::cell::Message& message) = 0;

 protected:
  ~Receiver() = default;
};

/// Carries messages between simulated peers.
class Transport {
 public:
  virtual ~Transport() = default;

  /// A peer is added. It has the next number.
  virtual void add() {}
  /// All peers are added. Called before anything is sent.
  virtual void ready() {}
  /// A hint that the peer will soon send: fetches the memory that this needs.
  virtual void soon(std::uint32_t) const {}
  /// The run is over, so what was recorded of it can be written.
  virtual void settle() {}
  /// Hands `message` to the receiver in a later event, or loses it.
  virtual void send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) = 0;
  /// Likewise. A message to a peer that is down is lost on its arrival, not here.
  virtual void send(std::uint32_t from, std::uint32_t to, const sched::Message& message) = 0;
  virtual void send(std::uint32_t from, std::uint32_t to, const sched::cell::Message& message) = 0;

  /// What was sent so far, lost messages included.
  const Traffic& traffic() const { return traffic_; }

 protected:
  Traffic traffic_;
};

}  // namespace dunlin::sim
