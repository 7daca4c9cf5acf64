// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sched/cell/cell_gossip.h"
#include "sched/cell/cell_member.h"
#include "sched/cell/departure.h"
#include "sched/cell/local_node.h"
#include "sched/cell/parent_links.h"
#include "sched/cell/replica_host.h"

namespace dunlin::sched {

class PlanMember;
struct HostedReplica;
struct SharingParams;

/// A node's part in sharing: a member of a cell, perhaps a host of books, perhaps a manager, of its
/// cell or of cells of cells. The one class that a Peer holds. It wires its parts and hands them
/// what they are to deal with; each part decides about its own subject. With sharing = none it does
/// nothing at all.
///
/// Contract: after every call the driver reads deadline() again and calls wake() then. The replicas
/// are stored, and restore() gets them after a restart; nothing else must survive.
class CellNode {
 public:
  /// `tickets`: what this node has, its milli-CPUs. `params` outlives the node.
  CellNode(const SharingParams& params, const Endpoint& self, Tickets tickets, Time now);
  ~CellNode();
  CellNode(const CellNode&) = delete;
  CellNode& operator=(const CellNode&) = delete;

  /// Goes on with the books that an earlier incarnation kept. Before the first wake() only. Fails
  /// (`corrupt`) if one of them is damaged: the others go on.
  Result<void> restore(const CellTurn& turn, std::vector<StoredRaft> replicas);

  /// For a driver that puts a whole cluster together: establishes a cell of nodes, without waiting
  /// to hear of others, and returns what gossip would say of it.
  cell::Hint establish(const CellTurn& turn);
  /// The node knows of these cells, and asks the one of that id to be its member, unless it belongs
  /// to one. Requires that it is among them.
  void join(const CellTurn& turn, CellId cell, std::span<const cell::Hint> cells);

  void wake(const CellTurn& turn);
  void receive(const CellTurn& turn, const Endpoint& from, const cell::Message& message);
  /// When wake() should be called next.
  Time deadline() const;

  /// Sets the class table. It reaches all cells; the highest version wins. Fails (`usage`) if it
  /// makes no sense, and (`conflict`) if its version is not above classes().version.
  Result<void> set_classes(const CellTurn& turn, const books::Classes& classes);
  const books::Classes& classes() const { return gossip_.table().classes(); }

  /// See Departure.
  Departure& departure() { return departure_; }
  bool departed(Time now) const { return !is_on_ || departure_.departed(now); }
  std::vector<CellId> left_behind(Time now) const { return departure_.left_behind(now); }

  /// An operator says that `lost` is lost with all its replicas, in the books of `cell`, which is
  /// managed here. Fails as LostCells::write_off() does, and (`not_found`) if it is not.
  Result<void> write_off(const CellTurn& turn, CellId cell, CellId lost, bool reissue);

  /// The weights of classes on this node, by class: see ClassTable::weights(). Empty if no classes
  /// are known.
  ClassTickets tickets(Time now) const;

  /// The node's part in the plans of its cell.
  PlanMember& plans() const { return *plans_; }

  /// The cells known by gossip lately.
  const CellHints& hints() const { return gossip_.hints(); }
  const CellMember& member() const { return member_; }
  /// The number of messages from nodes that had no say in the matter: they were ignored.
  std::uint64_t strangers() const { return strangers_; }
  /// The replicas of books that this node hosts.
  std::span<const std::unique_ptr<HostedReplica>> hosted() const { return host_.all(); }
  /// Nullptr if this node hosts no replica of that cell.
  const HostedReplica* hosted(CellId cell) const { return host_.find(cell); }

 private:
  Time next_due() const;
  void act(const CellTurn& turn);
  void wake_member(const CellTurn& turn);
  void wake_replica(const CellTurn& turn, HostedReplica& hosted);
  void spread_classes(const CellTurn& turn);
  void observe(const CellTurn& turn);

  void receive_as_node(const CellTurn& turn, const Endpoint& from, const cell::Message& message);
  void receive_as_manager(
      const CellTurn& turn, const Endpoint& from, CellId cell, const cell::Message& message);
  void on_lease(const CellTurn& turn, const Endpoint& from, const cell::Lease& lease);

  const SharingParams* params_;
  bool is_on_;
  LocalNode local_;
  CellGossip gossip_;
  CellMember member_;
  std::unique_ptr<PlanMember> plans_;
  ReplicaHost host_;
  ParentLinks links_;
  Departure departure_;
  std::uint64_t strangers_ = 0;
  Time rest_{};  ///< It wakes no earlier, so that its driver can do something else.
  std::optional<CellId> joined_;  ///< The cell that it last told to be a member of.
  bool granted_ = false;          ///< Grants held when it last looked.
};

}  // namespace dunlin::sched
