// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sched/cell/manager/cell_service.h"
#include "sched/cell/manager/membership.h"
#include "sched/sharing/sharing_plan.h"

namespace dunlin::sched {

/// The allocation of tickets: each period it decides how much every class may use of every member.
/// It plans by the members' reports, asks the voters for the plan, and tells the members their
/// grants once it is committed. Only cells of nodes allocate by the bank; by Cluster Reserves all
/// levels do, and what a cell is granted is the weights of its classes one level below. Without a
/// class table it does nothing but let time pass in the books.
class Allocation final : public CellService {
 public:
  /// `members` outlives this.
  Allocation(const SharingParams& params, Membership& members);

  void on_report(const LeaderTurn& turn, const cell::MemberReport& report) override;
  void on_period(const LeaderTurn& turn) override;
  void on_outcome(const LeaderTurn& turn, const Resolution& outcome) override;

  /// The parent's grants to the classes of this cell, as weights, until their term ends. Empty, or
  /// after that: classes have their shares.
  void set_weights(std::span<const cell::Grant> weights, Time until);

 private:
  bool is_on(const LeaderTurn& turn) const;
  void allocate(const LeaderTurn& turn);
  Result<SharingPlan> plan(const SharingInput& input) const;
  SharingInput input(const CellBooks& books, std::span<const MemberId> nodes) const;
  void add_row(const CellBooks& books, MemberId id, std::size_t row, SharingInput& input) const;
  void propose(const LeaderTurn& turn, books::Allocate command);
  Tickets weight_of(const books::Class& each) const;

  const SharingParams* params_;
  Membership* members_;
  FreshReports fresh_;
  std::vector<cell::Grant> weights_;
  Time weights_until_{};
  std::uint64_t rounds_ = 0;
  std::optional<ProposalId> proposal_;  ///< The allocation under way.
};

}  // namespace dunlin::sched
