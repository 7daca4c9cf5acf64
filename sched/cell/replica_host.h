// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sched/cell/cell_gossip.h"
#include "sched/kernel.h"
#include "sched/raft/raft_store.h"

namespace dunlin::sched {

class CellMember;
struct HostedReplica;
struct SharingParams;

/// The replicas of books that a node hosts: of its own cell, of cells above it, and of cells that
/// ended and are kept for a while. It opens and forgets them, carries their Raft messages, and
/// makes the node a cell's manager while its replica leads.
class ReplicaHost {
 public:
  /// Replicas that a node hosts at once: those of its tree's levels, and some that ended.
  static constexpr std::size_t kReplicasMax = 8;

  /// `params` and `gossip` outlive this.
  ReplicaHost(const SharingParams& params, const Endpoint& self, CellGossip& gossip);
  ~ReplicaHost();

  /// In the order in which they were opened.
  std::span<const std::unique_ptr<HostedReplica>> all() const { return hosted_; }
  /// Nullptr if the node hosts no replica of that cell.
  HostedReplica* find(CellId cell) const;
  /// The id of the replica of that cell that the node hosts, if it does.
  std::optional<ReplicaId> replica_of(CellId cell) const;

  /// Goes on with what an earlier incarnation stored; `member` asks the cell of nodes among them to
  /// be its member still. Fails (`corrupt`) if a replica is damaged: the others go on.
  Result<void> restore(const CellTurn& turn, std::vector<StoredRaft> replicas, CellMember& member);
  /// Establishes a cell of that level, with `first` as its first member and this node as its only
  /// voter. Nothing happens if the node hosts kReplicasMax replicas already.
  void establish(const CellTurn& turn, std::uint8_t level, CellMember& first);
  /// Forgets books that closed long enough ago, and replicas that no group ever added.
  void forget_ended(const CellTurn& turn);

  /// Lets the group of `hosted` act if that is due.
  void wake(const CellTurn& turn, HostedReplica& hosted);
  /// Follows up after the group of `hosted` may have moved: makes or ends the manager here, hands
  /// it the outcomes of its proposals, and takes over a newer class table from the books.
  void settle(const CellTurn& turn, HostedReplica& hosted);

  void receive(const CellTurn& turn, const Endpoint& from, raft::Rpc rpc);
  /// A manager asks this node to host a replica.
  void receive(const CellTurn& turn, const Endpoint& from, const cell::Enlist& enlist);
  /// A manager says that a replica here counts no more. False if the sender has no say in it.
  bool receive(const CellTurn& turn, const Endpoint& from, const cell::Discharge& discharge);
  /// A manager says that this node may stop though a replica here counts. False if the sender has
  /// no say in it.
  bool receive(const Endpoint& from, const cell::Excuse& excuse);
  /// Answers a member that reported to a replica which does not lead: ask the leader, if it is
  /// known.
  void redirect(const CellTurn& turn,
      const Endpoint& from,
      const cell::MemberReport& report,
      const HostedReplica& hosted) const;
  /// The same for a replica of a log of jobs.
  void redirect(const CellTurn& turn,
      const Endpoint& from,
      const cell::LogRequest& request,
      const HostedReplica& hosted) const;

 private:
  HostedReplica* open(const CellTurn& turn, StoredRaft replica);
  void forget(const CellTurn& turn, CellId cell);
  bool has_ended(const HostedReplica& hosted, Time now) const;

  const SharingParams* params_;
  Endpoint self_;
  CellGossip* gossip_;
  std::vector<std::unique_ptr<HostedReplica>> hosted_;
};

}  // namespace dunlin::sched
