// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "node/agent/agent_parts.h"
#include "node/agent/troubles.h"
#include "node/net/rate_limit.h"
#include "node/reach/own_choice.h"
#include "node/reach/sightings.h"

namespace dunlin::node {

/// Watches if this node can be reached at the address that it tells others, and others at theirs.
/// Tells nodes that it meets its addresses, and where it sees them; asks others about those that it
/// does not find. What is wrong becomes a trouble of this node, or a note about another one.
class ReachWatch {
 public:
  using OnMoved = std::function<void(const overlay::Address& to)>;

  /// This machine's interfaces are looked at so often, besides when the kernel says that they
  /// changed.
  static constexpr overlay::Duration kReadPeriod = std::chrono::seconds(10);
  /// What goes on for long is said again after this time, so that a lost word does no harm.
  static constexpr overlay::Duration kSayAgain = std::chrono::seconds(10);
  static constexpr overlay::Duration kLogAgain = std::chrono::minutes(10);

  /// `parts` and `troubles` must outlive this; all parts must be open. `moved` is told which
  /// address leads here instead of the one that others are told.
  ReachWatch(AgentParts& parts, Troubles& troubles, OnMoved moved);
  ReachWatch(const ReachWatch&) = delete;
  ReachWatch& operator=(const ReachWatch&) = delete;

  /// Call every second or so, with the addresses of the contacts.
  void look(const std::vector<overlay::Address>& contacts);
  /// The addresses of this machine have changed, or may have.
  void look_at_host();
  /// Asks others for the names that somebody wants to know. Call at the end of a turn.
  void ask_names();
  /// A message of Layer::reach. False if it means nothing.
  bool receive(const overlay::Endpoint& from, const Message& message);

 private:
  void tell(overlay::PeerId node);
  void tell_new();
  void look_at_others();
  void note(overlay::PeerId node, const Unreached& unreached);
  void ask_for_lost();
  /// Asks two nodes that were heard of late for what they know of that one.
  void ask_about(overlay::PeerId node);
  void learn_names();
  void look_for_shared();
  void look_at_own(const std::vector<overlay::Address>& contacts);
  void look_at_complaints();
  void on_whereabouts(overlay::PeerId from, const Whereabouts& told);
  void answer(const overlay::Endpoint& from, const NodeSought& sought);
  /// The name, or the id.
  std::string name_of(overlay::PeerId node) const;
  Ways& ways() { return parts_.transport->ways(); }
  overlay::Address self() const { return parts_.transport->self().address; }

  AgentParts& parts_;
  Troubles& troubles_;
  OnMoved moved_;
  bool chooses_;           ///< Nobody said which address to tell.
  bool anywhere_ = false;  ///< All addresses of this machine are listened at, ...
  bool v4_only_ = false;   ///< ... or all of IPv4.
  std::vector<HostAddress> host_;
  std::vector<overlay::Address> places_;  ///< What is told of this node.
  overlay::Time read_at_{};
  overlay::Time own_at_{};
  overlay::Time names_at_{};
  Sightings sightings_;
  std::map<overlay::PeerId, overlay::Time> told_;    ///< When each was told last.
  std::map<overlay::PeerId, overlay::Time> logged_;  ///< When each was logged as unreachable.
  std::map<overlay::Address, int> shared_;           ///< How often each was found told by two.
  std::set<overlay::PeerId> sought_;
  TokenBucket questions_;
  std::string complaint_;
  std::size_t helper_ = 0;
};

}  // namespace dunlin::node
