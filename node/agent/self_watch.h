// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "node/agent/agent_parts.h"
#include "node/agent/troubles.h"
#include "node/identity/twins.h"
#include "node/loop/wakeup.h"
#include "node/net/datagrams.h"
#include "overlay/result.h"

namespace dunlin::node {

/// Keeps this agent the latest incarnation of its identity, and the only one.
///
/// Tells peers which speak as an earlier incarnation how they are known here. When peers say that
/// of this node, rises above what they know, or finds the twin that has its identity: see
/// node/identity/twins.h.
class SelfWatch final : private Twins::Port {
 public:
  /// Both must outlive this. Requires that all parts are open.
  SelfWatch(AgentParts& parts, Troubles& troubles);
  SelfWatch(const SelfWatch&) = delete;
  SelfWatch& operator=(const SelfWatch&) = delete;

  /// A peer's datagrams say something about its incarnations.
  void on_notice(const PeerNotice& notice);
  /// A message of Layer::link. False if it means nothing from there.
  bool receive(const overlay::Endpoint& from, const Message& message);
  /// True once a twin was met that began earlier: this agent must stop, and say and store nothing
  /// more.
  bool is_copy() const { return is_copy_; }

 private:
  /// A peer says how this node is known there, which may be news: see Twins.
  void on_elsewhere(overlay::PeerId from, const Elsewhere& known);

  void send_to_twin(const overlay::Address& to, const Twin& message) override;
  std::uint64_t draw_nonce() override;
  void rise_above(std::uint32_t above, overlay::PeerId told_by) override;
  void meet_twin(const overlay::Address& twin, bool younger) override;

  AgentParts& parts_;
  Troubles& troubles_;
  Twins twins_;
  Wakeup wakeup_;
  /// When it was last logged that peers know too late an incarnation.
  std::optional<overlay::Time> ahead_told_;
  bool is_copy_ = false;
};

/// An incarnation later than all that this node used, as far as it remembers, and than `above`. It
/// is on disk when it returns. Fails as the store and the marks do. Requires that they are open.
Result<std::uint32_t> next_incarnation(AgentParts& parts, std::uint32_t above = 0);

}  // namespace dunlin::node
