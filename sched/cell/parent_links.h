// SPDX-License-Identifier: MIT
#pragma once

#include "sched/cell/local_node.h"
#include "sched/cell/replica_host.h"

namespace dunlin::sched {

/// Speaks for the cells that are managed here to their parents: each such cell is a member of a
/// cell one level up, as a node is of a cell of level 0. A cell that is alone has no parent.
class ParentLinks {
 public:
  /// All outlive this.
  ParentLinks(
      const SharingParams& params, const LocalNode& local, CellGossip& gossip, ReplicaHost& host)
      : params_(&params),
        local_(&local),
        gossip_(&gossip),
        host_(&host) {}

  /// Joins a parent, reports to it, or leaves it, if that is due. Requires that this node manages
  /// the cell.
  void wake(const CellTurn& turn, HostedReplica& hosted);
  /// The parent's answer to a report. False if the sender was not asked. Requires that this node
  /// manages the cell, and reported for it.
  bool receive(
      const CellTurn& turn, const Endpoint& from, const cell::Lease& lease, HostedReplica& hosted);

 private:
  bool begin(Time now, HostedReplica& hosted);
  void seek(const CellTurn& turn, HostedReplica& hosted);
  cell::MemberReport report(Time now, const HostedReplica& hosted) const;
  bool has_siblings(const HostedReplica& hosted) const;
  bool wants_parent(const HostedReplica& hosted, Time now) const;

  const SharingParams* params_;
  const LocalNode* local_;
  CellGossip* gossip_;
  ReplicaHost* host_;
};

}  // namespace dunlin::sched
