// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "sim/latency.h"
#include "sim/transport/transport.h"

namespace dunlin::sim {

/// The fastest transport: a message is an event in the context of its receiver, and nothing else.
/// No devices, no packets; unlimited bandwidth.
class ContextTransport final : public Transport {
 public:
  /// With `codec`, messages travel as the bytes that agents send. `receiver` must outlive the
  /// events.
  ContextTransport(Receiver& receiver, Delay delay, bool codec)
      : receiver_(receiver),
        delay_(std::move(delay)),
        codec_(codec) {}

  void send(std::uint32_t from, std::uint32_t to, const overlay::Message& message) override;
  void send(std::uint32_t from, std::uint32_t to, const sched::Message& message) override;

 private:
  template <typename Message>
  void carry(std::uint32_t from, std::uint32_t to, const Message& message);

  Receiver& receiver_;
  Delay delay_;
  bool codec_;
  std::vector<std::uint64_t> sent_;  ///< By each peer.
};

}  // namespace dunlin::sim
