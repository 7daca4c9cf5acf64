// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sim/transport/medium.h"
#include "sim/transport/transport.h"

namespace dunlin::sim {

/// The fastest transport: a message is an event in the context of its receiver. There are no
/// devices and no packets.
class ContextTransport final : public Transport {
 public:
  /// With `codec`, messages travel as the bytes that agents send. `receiver` must outlive the
  /// events.
  ContextTransport(Receiver& receiver, Medium medium, bool codec)
      : receiver_(receiver),
        medium_(std::move(medium)),
        codec_(codec) {}

  void soon(std::uint32_t peer) const override { medium_.soon(peer); }
  void send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) override;
  void send(std::uint32_t from, std::uint32_t to, const sched::Message& message) override;
  void send(std::uint32_t from, std::uint32_t to, const sched::cell::Message& message) override;

 private:
  /// Counts a message, and sets its arrival, unless the medium loses it.
  template <typename Message>
  void carry(std::uint32_t from, std::uint32_t to, const Message& message);

  Receiver& receiver_;
  Medium medium_;
  bool codec_;
  std::string scratch_;
};

}  // namespace dunlin::sim
