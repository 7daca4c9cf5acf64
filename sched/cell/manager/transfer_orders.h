// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sched/cell/manager/cell_service.h"
#include "sched/cell/manager/membership.h"
#include "sched/cell/manager/seen_orders.h"
#include "sched/cell/manager/transfer_desk.h"
#include "sched/sharing/transfer.h"

namespace dunlin::sched {

/// Moves savings between cells of nodes, by the bank. A cell of cells looks at the savings and the
/// use of its members each period, and orders those that have much and need little to send some to
/// those that need more. Any cell obeys the orders of its parent: a cell of nodes sends its own
/// savings, a cell of cells hands the order down to its richest members. By Cluster Reserves no
/// cell orders anything. Source: CS 736 slides, "Transfer Strategy".
class TransferOrders final : public CellService {
 public:
  /// `members` and `desk` outlive this.
  TransferOrders(const SharingParams& params, const Membership& members, TransferDesk& desk);

  void on_report(const LeaderTurn& turn, const cell::MemberReport& report) override;
  void on_period(const LeaderTurn& turn) override;
  Handling on_message(
      const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) override;

  /// By class, the cell of nodes below this one that uses most of its share, for the parent to send
  /// savings there. Empty for a cell of nodes, and for classes that no member uses.
  std::vector<cell::Neediest> neediest(const CellBooks& books) const;

 private:
  bool is_on(const LeaderTurn& turn) const;
  void plan(const LeaderTurn& turn);
  void hand_down(const LeaderTurn& turn, const cell::Order& order, Tickets tickets);
  void order(const LeaderTurn& turn, const Transfer& transfer, const cell::Neediest& receiver);
  std::vector<ManagerReport> reports_of(
      const CellBooks& books, std::span<const MemberId> members) const;
  std::vector<MemberId> known(const CellBooks& books) const;

  const SharingParams* params_;
  const Membership* members_;
  TransferDesk* desk_;
  FreshReports fresh_;
  SeenOrders seen_;
  std::uint64_t orders_ = 0;
  /// Tickets that members were ordered to send since their last reports, by member and class.
  std::map<std::pair<MemberId, ClassId>, Tickets> ordered_;
};

}  // namespace dunlin::sched
