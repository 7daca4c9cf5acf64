// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sched/cell/message.h"
#include "sched/cell/rpc_port.h"
#include "sched/observer.h"
#include "sched/raft/raft_turn.h"

namespace dunlin::sched {

/// The use that tasks make of a node. A worker implements it.
class Workload {
 public:
  /// The tickets that each class used since the last call, out of `tickets`, and those that its
  /// waiting tasks need. By class, at most cell::MemberReport::kUsesMax.
  virtual std::vector<books::Use> take(Time now, Tickets tickets) = 0;

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
