// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sched/cell/local_node.h"
#include "sched/cell/replica_host.h"

namespace dunlin::sched {

/// The way in which a node stops without taking anything along that others need: it hands over the
/// cells that it manages and the books that it keeps, and leaves its cell.
class Departure {
 public:
  /// All outlive this.
  Departure(const CellParams& params,
      LocalNode& local,
      CellMember& member,
      const CellGossip& gossip,
      ReplicaHost& host)
      : params_(&params),
        local_(&local),
        member_(&member),
        gossip_(&gossip),
        host_(&host) {}

  /// The node is to keep no books and manage nothing, or may again.
  void drain(const CellTurn& turn, bool on);
  /// The node is about to stop: it drains, and leaves its cell once others took over. A cell of
  /// this node alone ends, if there is another one for its savings.
  void depart(const CellTurn& turn);
  /// Leaves the cell without waiting for any node.
  void leave(const CellTurn& turn);

  /// Goes on departing, if that is due.
  void wake(const CellTurn& turn);
  Time deadline() const;

  /// A replica that is not the leader asks to be discharged while the node drains.
  void resign(const CellTurn& turn, HostedReplica& hosted);
  /// A manager lets another replica lead while the node drains.
  void hand_over(const CellTurn& turn, HostedReplica& hosted);

  /// True when no cell needs this node any more, or no node is there to take over what it has.
  bool departed(Time now) const;
  /// Cells with books that others should have taken over, and did not yet.
  std::vector<CellId> left_behind(Time now) const;

 private:
  void go_on(const CellTurn& turn);
  bool is_needed(const HostedReplica& hosted, Time now) const;
  bool is_alone(const HostedReplica& hosted) const;
  bool ends_alone(const HostedReplica& hosted, Time now) const;
  std::optional<CellId> largest_sibling(const HostedReplica& hosted) const;

  const CellParams* params_;
  LocalNode* local_;
  CellMember* member_;
  const CellGossip* gossip_;
  ReplicaHost* host_;
  bool departing_ = false;
  Time notice_{};  ///< Until then others may say that they go, too.
  Time next_{};    ///< It looks for things left to do then.
};

}  // namespace dunlin::sched
