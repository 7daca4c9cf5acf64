// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sched/cell/manager/allocation.h"
#include "sched/cell/manager/cell_service.h"
#include "sched/cell/manager/cell_shape.h"
#include "sched/cell/manager/log_moves.h"
#include "sched/cell/manager/log_registry.h"
#include "sched/cell/manager/lost_cells.h"
#include "sched/cell/manager/membership.h"
#include "sched/cell/manager/slot_plans.h"
#include "sched/cell/manager/transfer_desk.h"
#include "sched/cell/manager/transfer_orders.h"
#include "sched/cell/manager/voters.h"
#include "sched/cell/sharing_params.h"

namespace dunlin::sched {

/// The manager of a cell for one epoch: the leader of its Raft group, in all that it does beyond
/// keeping the log. It holds the membership and the services that build on it (see CellService),
/// and hands them reports, messages, outcomes and the beat of the period. Nothing in it must
/// survive.
class CellManager {
 public:
  /// Requires that the group is led here. `params` outlives the manager.
  CellManager(
      const SharingParams& params, const Endpoint& self, Time now, const LeaderContext& context);
  CellManager(const CellManager&) = delete;
  CellManager& operator=(const CellManager&) = delete;

  /// Does what is due.
  void wake(const CellTurn& turn, const LeaderContext& context);
  /// A message to the manager of this cell. `refused` if its sender has no say in the matter.
  Handling receive(const CellTurn& turn,
      const LeaderContext& context,
      const Endpoint& from,
      const cell::Message& message);
  /// A proposal of this manager is decided.
  void done(const CellTurn& turn, const LeaderContext& context, const Resolution& outcome);

  /// The node heard of a class table: its cell takes it if it is newer.
  void set_classes(
      const CellTurn& turn, const LeaderContext& context, const books::Classes& classes);
  /// See Allocation::set_weights().
  void set_weights(std::span<const cell::Grant> weights, Time until) {
    allocation_.set_weights(weights, until);
  }
  /// The parent of the cell, and where it can be asked; 0: it has none any more.
  void set_parent(
      const CellTurn& turn, const LeaderContext& context, const books::SetParent& parent);
  /// The replica here is to keep these books no longer, if another can.
  void resign(Time now, ReplicaId replica) { voters_.resign(now, replica); }
  /// See Voters::successor() and Voters::holds_back().
  std::optional<ReplicaId> successor(const RaftGroup& group, Time now) const {
    return voters_.successor(group, now);
  }
  bool holds_back(const RaftGroup& group, Time now) const { return voters_.holds_back(group, now); }
  /// See CellShape::dissolve().
  void dissolve(const CellTurn& turn, const LeaderContext& context, std::optional<CellId> into);
  /// An operator says that `lost` is lost for good: see LostCells::write_off().
  Result<void> write_off(
      const CellTurn& turn, const LeaderContext& context, CellId lost, bool reissue);

  Epoch epoch() const { return proposer_.epoch(); }
  const Membership& members() const { return members_; }
  const TransferOrders& orders() const { return orders_; }
  const SlotPlans& plans() const { return plans_; }
  const Planner& planner() const { return plans_.planner(); }
  Time deadline() const { return std::min(next_, services_.deadline()); }
  /// The hint by which gossip is to speak of this cell.
  cell::Hint hint(const CellBooks& books);

 private:
  LeaderTurn step(const CellTurn& turn, const LeaderContext& context);

  const SharingParams* params_;
  Endpoint self_;
  Proposer proposer_;
  Time next_;                ///< When the next period begins.
  std::uint64_t hints_ = 0;  ///< The number given out: the stamp of the last.
  Membership members_;
  LostCells lost_;
  TransferDesk desk_;
  LogRegistry logs_;
  LogMoves moves_;
  Voters voters_;
  CellShape shape_;
  TransferOrders orders_;
  Allocation allocation_;
  SlotPlans plans_;
  CellServices services_;
};

}  // namespace dunlin::sched
