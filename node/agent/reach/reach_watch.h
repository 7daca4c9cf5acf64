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
  /// Tells one node where this one is, and where it sees that one.
  void tell(overlay::PeerId node);
  /// Tells nodes that were heard of for the first time.
  void tell_new();
  /// Finds nodes that do not answer at the address that they tell, and those that do again.
  void look_at_others();
  /// A node that is not reached where it says: it is told, and people are, each at their own pace.
  void note(overlay::PeerId node, const Unreached& unreached);
  /// Asks about nodes that were reached, and are silent.
  void ask_for_lost();
  /// Asks two nodes that were heard of late for what they know of that one.
  void ask_about(overlay::PeerId node);
  /// Keeps what nodes call themselves, and notes those without a name.
  void learn_names();
  /// Finds nodes that tell others one and the same address.
  void look_for_shared();
  /// Weighs what speaks for each address of this machine, and moves if another one is better.
  void look_at_own(const std::vector<overlay::Address>& contacts);
  /// Makes a trouble of it if others do not reach this node.
  void look_at_complaints();
  void on_whereabouts(overlay::PeerId from, const Whereabouts& told);
  /// Says what is known of a node, up to a rate; nothing if nothing is.
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
  /// Answers are taken only about these.
  std::set<overlay::PeerId> sought_;
  TokenBucket questions_;
  /// As it was told last; empty: none.
  std::string complaint_;
  std::size_t helper_ = 0;
};

}  // namespace dunlin::node
