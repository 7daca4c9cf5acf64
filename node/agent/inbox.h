// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <utility>

#include "node/agent/agent_parts.h"
#include "node/agent/output/output_copier.h"
#include "node/agent/output/output_keeper.h"
#include "node/control/control_server.h"
#include "node/net/rate_limit.h"

namespace dunlin::node {

/// Brings each message from the network to the part that it is for: the peer, the requests of
/// clients that wait for it, the output kept here, or the watches over this node's identity and
/// addresses. Answers questions about cells itself, up to a rate, because an answer takes some
/// reckoning.
class Inbox {
 public:
  /// Hears messages of Layer::link, or of Layer::reach; false if one means nothing.
  using OnLink = std::function<bool(const overlay::Endpoint& from, const Message& message)>;

  /// All but the function must outlive this.
  Inbox(AgentParts& parts,
      AgentServices& services,
      ControlServer& control,
      OnLink on_link,
      OnLink on_reach)
      : parts_(parts),
        services_(services),
        control_(control),
        on_link_(std::move(on_link)),
        on_reach_(std::move(on_reach)) {}

  /// A malformed message is counted, and ignored.
  void receive(const overlay::Endpoint& from, Layer layer, std::span<const std::byte> bytes);

 private:
  /// These four, and the next: false if the message is malformed.
  bool receive_overlay(const overlay::Endpoint& from, std::span<const std::byte> bytes);
  bool receive_sched(const overlay::Endpoint& from, std::span<const std::byte> bytes);
  bool receive_cell(const overlay::Endpoint& from, std::span<const std::byte> bytes);
  bool receive_node(const overlay::Endpoint& from, std::span<const std::byte> bytes);
  static bool receive_by(
      const OnLink& hears, const overlay::Endpoint& from, std::span<const std::byte> bytes);

  void on_message(const overlay::Endpoint& from, const CellQuestion& question);
  void on_message(const overlay::Endpoint& from, const CellAnswer& answer);
  void on_message(const overlay::Endpoint& from, const WriteOff& asked);
  void on_message(const overlay::Endpoint& from, const WriteOffAnswer& answer);
  // These belong to other layers: see receive_by().
  void on_message(const overlay::Endpoint&, const Elsewhere&) { ++parts_.metrics.malformed; }
  void on_message(const overlay::Endpoint&, const Twin&) { ++parts_.metrics.malformed; }
  void on_message(const overlay::Endpoint&, const Whereabouts&) { ++parts_.metrics.malformed; }
  void on_message(const overlay::Endpoint&, const NodeSought&) { ++parts_.metrics.malformed; }
  void on_message(const overlay::Endpoint&, const NodeFound&) { ++parts_.metrics.malformed; }
  void on_message(const overlay::Endpoint&, const OutputCopy& copy) { keep_copy(parts_, copy); }
  void on_message(const overlay::Endpoint& from, const OutputCheck& asked) {
    answer_check(parts_, from, asked);
  }
  void on_message(const overlay::Endpoint& from, const OutputGone& gone) {
    forget_output(parts_, from, gone);
  }
  void on_message(const overlay::Endpoint& from, const auto& about_output) {
    parts_.output_service->on_message(from, about_output);
  }

  AgentParts& parts_;
  AgentServices& services_;
  ControlServer& control_;
  OnLink on_link_;
  OnLink on_reach_;
  TokenBucket questions_;
};

}  // namespace dunlin::node
