// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/cell/message.h"
#include "sched/cell/raft_turn.h"

namespace dunlin::sched {

/// What a node's tasks do with it. A worker implements it.
class Workload {
 public:
  /// What each class used since the last call, of `tickets` in all, and what waits. By class, at
  /// most cell::Renew::kUsesMax.
  virtual std::vector<cell::Use> take(Time now, Tickets tickets) = 0;

 protected:
  ~Workload() = default;
};

/// What the cells of a node may see and touch during one step. Valid only during the call.
struct CellTurn {
  RaftTurn raft;
  Workload& workload;
};

inline Endpoint endpoint_of(const cell::Contact& contact) {
  return {contact.node, contact.address};
}
inline cell::Contact contact_of(const Endpoint& endpoint) {
  return {.node = endpoint.id, .address = endpoint.address};
}

}  // namespace dunlin::sched
