// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/cell/message.h"
#include "sched/cell/rpc_port.h"
#include "sched/message.h"
#include "sched/observer.h"
#include "sched/raft/raft_turn.h"

namespace dunlin::sched {

/// What a node tells its manager for plans.
struct NodeClaims {
  std::uint64_t version = 0;   ///< Another one says that jobs came, ended or have other terms.
  std::uint32_t slots = 0;     ///< Of the node; 0: it drains or is sick.
  std::uint32_t speed = 1000;  ///< In thousandths.
  bool preempts = false;       ///< Tasks here yield by plan.
  std::vector<cell::Claim> claims;
};

/// The use that tasks make of a node, and what its jobs want. Its worker and its frontends
/// implement it.
class Workload {
 public:
  /// The tickets that each class used since the last call, out of `tickets`, and those that its
  /// waiting tasks need. By class, at most cell::MemberReport::kUsesMax.
  virtual std::vector<books::Use> take(Time now, Tickets tickets) = 0;
  /// The states of the node's slots.
  virtual SlotCounts slots() const { return {}; }
  /// The claims of the jobs that are driven here and go on.
  virtual NodeClaims claims(Time) { return {}; }

 protected:
  ~Workload() = default;
};

/// The nodes that a node may gossip with. The peer implements it, which knows the overlay.
class GossipTargets {
 public:
  /// One of the nodes that run, as far as is known, each with the same chance; empty if none is.
  virtual std::optional<Endpoint> draw(Rng& rng) = 0;

 protected:
  ~GossipTargets() = default;
};

/// All that the cells of a node may see and touch during one step. Valid only during the call.
struct CellTurn {
  Time now;
  Rng& rng;
  overlay::Port<cell::Message>& out;
  RaftStore& store;
  Workload& workload;
  GossipTargets& targets;
  Observer& events;
  std::uint64_t machine = 0;  ///< This node's: see NodeSpec.
  mutable RpcPort rpcs{out};

  /// The part of it for the Raft groups of the node's cells.
  RaftTurn raft() const { return {.now = now, .rng = rng, .out = rpcs, .store = store}; }
};

inline Endpoint endpoint_of(const books::Contact& contact) {
  return {contact.node, contact.address};
}
inline books::Contact contact_of(const Endpoint& endpoint) {
  return {.node = endpoint.id, .address = endpoint.address};
}

}  // namespace dunlin::sched
