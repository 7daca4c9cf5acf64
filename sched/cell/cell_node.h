// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sched/cell/cell_hints.h"
#include "sched/cell/cell_manager.h"
#include "sched/cell/cell_member.h"
#include "sched/cell/cell_turn.h"

namespace dunlin::sched {

/// A node's part in sharing: a member of a cell, perhaps a keeper of books, perhaps a manager, of
/// its cell or of cells of cells. The one class that a Peer holds. With sharing = none it does
/// nothing at all.
///
/// Contract: after every call the driver reads deadline() again and calls wake() then. Of what it
/// stores, restore() is given the replicas; nothing else must survive.
class CellNode {
 public:
  /// Hints that gossip carries at once.
  static constexpr std::size_t kHintsMax = cell::Gossip::kHintsMax;
  /// Replicas that a node keeps: of its own cell, of those above, and of those that ended.
  static constexpr std::size_t kSeatsMax = 8;
  /// Who has news, of a class table or of a cell it founded, gossips so often in a hurry: to reach
  /// thousands would else take a minute.
  static constexpr std::uint8_t kHurries = 4;

  /// `tickets`: what this node has, its milli-CPUs. `parameters` outlives the node.
  CellNode(const SharingParams& params, const Endpoint& self, Tickets tickets, Time now);

  /// Goes on with the books that an earlier life kept. Before the first wake() only. Fails
  /// (`corrupt`) if one of them is damaged: the others go on.
  Result<void> restore(const CellTurn& turn, std::vector<StoredRaft> replicas);

  void wake(const CellTurn& turn);
  void receive(const CellTurn& turn, const Endpoint& from, const cell::Message& message);
  /// When wake() should be called next.
  Time deadline() const;

  /// What is known of cells lately.
  const CellHints& hints() const { return hints_; }

  /// Says who shares the cluster. The table reaches all cells; the highest version wins. Fails
  /// (`usage`) if it makes no sense, and (`refused`) if its version is not above classes().version.
  Result<void> set_classes(const CellTurn& turn, books::Classes classes);
  const books::Classes& classes() const { return classes_; }

  /// This node is to keep no books and manage nothing, or may again.
  void drain(const CellTurn& turn, bool on);
  /// This node is about to stop: it hands over what it manages and the books it keeps, and leaves
  /// its cell. A cell of this node alone ends, if there is another one for its savings.
  void depart(const CellTurn& turn);
  /// True when nobody needs this node any more, or nobody is there to take over what it has.
  bool departed(Time now) const;
  /// Cells whose books others should have taken over, and did not yet.
  std::vector<CellId> left_behind(Time now) const;
  /// Gives its grants back and leaves its cell, without waiting for anybody.
  void leave(const CellTurn& turn);

  /// An operator says that `lost` is lost with all its replicas, in the books of `cell`, which is
  /// managed here. Fails as CellManager::write_off() does, and (`not_found`) if it is not.
  Result<void> write_off(const CellTurn& turn, CellId cell, CellId lost, bool reissue);

  /// What classes have on this node, as weights: as granted; by share while no grants hold, and for
  /// a class that was granted nothing to speak of, should it want something before the next grants.
  /// By class; empty if no classes are known.
  std::vector<std::pair<ClassId, Tickets>> tickets(Time now) const;
  /// True if what a manager granted holds, be it nothing.
  bool granted(Time now) const { return now < member_.until(); }

  const CellMember& member() const { return member_; }
  /// Orders, verdicts, leases and discharges of nodes that have no say in it: they were ignored.
  std::uint64_t strangers() const { return strangers_; }

  /// A replica of a cell's books that this node keeps.
  struct HostedReplica {
    HostedReplica(RaftGroup replica, Time now) : group(std::move(replica)), made(now), alone(now) {}
    const CellBooks& books() const { return static_cast<const CellBooks&>(group.machine()); }

    RaftGroup group;
    std::optional<CellManager> manager;  ///< While this node is.
    std::optional<CellMember> above;     ///< The cell as a member of its parent: for its manager.
    Time made;
    Time alone;     ///< When there last was no other cell of its level.
    Time closed{};  ///< When the books were seen to be closed.
    Time resign{};  ///< When to ask again to be discharged.
  };
  std::span<const std::unique_ptr<HostedReplica>> hosted() const { return hosted_; }
  /// Nullptr if this node does not keep that cell's books.
  const HostedReplica* hosted(CellId cell) const;

 private:
  bool on() const { return params_->cell.sharing != SharingMode::none; }
  HostedReplica* find(CellId cell);
  HostedReplica* open(const CellTurn& turn, StoredRaft replica);
  /// Begins a cell of that level, of which `founder` becomes the first member.
  void found(const CellTurn& turn, std::uint8_t level, CellMember& founder);
  void forget(const CellTurn& turn, CellId cell);
  void forget_what_ended(const CellTurn& turn);

  void wake_seat(const CellTurn& turn, HostedReplica& hosted);
  /// After anything happened to its group: who is manager, and what became of proposals.
  void settle(const CellTurn& turn, HostedReplica& hosted);
  void speak_for(const CellTurn& turn, HostedReplica& hosted);
  bool has_siblings(const HostedReplica& hosted) const;
  bool wants_parent(const HostedReplica& hosted, Time now) const;
  cell::MemberReport report(const CellTurn& turn) const;
  ReplicaId replica_of(CellId cell) const;
  void adopt(const CellTurn& turn, const books::Classes& classes);
  void gossip(const CellTurn& turn);
  /// Tells who was turned away by a full cell which others have room.
  void refer(const CellTurn& turn, const Endpoint& to, std::uint8_t level);
  /// Everything that is due, once.
  void act(const CellTurn& turn);
  /// Tells of what became of the membership and the grants.
  void observe(const CellTurn& turn);
  Time next_due() const;
  void hand_over(const CellTurn& turn, HostedReplica& hosted);
  void resign(const CellTurn& turn, HostedReplica& hosted);
  /// Of this node, by the class table alone.
  std::vector<std::pair<ClassId, Tickets>> shares() const;
  void go_on_departing(const CellTurn& turn);
  bool is_needed(const HostedReplica& hosted, Time now) const;
  /// Another cell of its level that does not end; 0: none is known.
  CellId sibling_of(const HostedReplica& hosted) const;
  /// True if that node speaks for `cell`, as far as this one's gossip and books know.
  bool speaks_for(CellId cell, const HostedReplica& hosted, PeerId node) const;

  void on_rpc(const CellTurn& turn, const Endpoint& from, raft::Rpc rpc);
  void on(const CellTurn& turn, const Endpoint& from, const cell::MemberReport& renew);
  void on(const CellTurn& turn, const Endpoint& from, const cell::Lease& lease);
  void on(const CellTurn& turn, const Endpoint& from, const cell::Enlist& enlist);
  void on(const CellTurn& turn, const Endpoint& from, const cell::Enlisted& enlisted);
  void on(const CellTurn& turn, const Endpoint& from, const cell::Discharge& discharge);
  void on(const CellTurn& turn, const Endpoint& from, const cell::Resign& resign);
  void on(const CellTurn& turn, const Endpoint& from, const cell::WrittenOff& lost);
  void on(const CellTurn& turn, const Endpoint& from, const cell::SetClasses& set);
  void on(const CellTurn& turn, const Endpoint& from, const cell::Order& order);
  void on(const CellTurn& turn, const Endpoint& from, const cell::SavingsOffer& offer);
  void on(const CellTurn& turn, const Endpoint& from, const cell::Verdict& verdict);
  void on(const CellTurn& turn, const Endpoint& from, const cell::Gossip& gossip);

  const SharingParams* params_;
  Endpoint self_;
  Tickets tickets_;
  Time born_;
  bool draining_ = false;
  bool departing_ = false;
  Time departing_at_{};  ///< When to see what is left to do.
  std::uint64_t strangers_ = 0;
  CellHints hints_;
  books::Classes classes_;  ///< The highest version known here.
  CellMember member_;
  std::vector<std::unique_ptr<HostedReplica>> hosted_;  ///< In the order they were opened.
  Time next_gossip_{};
  std::uint8_t hurried_ = 0;  ///< So many exchanges more follow fast: there is news.
  Time rest_{};               ///< Not before: a node that always has something to do must not hang.
  CellId joined_ = 0;         ///< The cell it told to be a member of.
  bool granted_ = false;      ///< Grants held when last looked at.
};

}  // namespace dunlin::sched
