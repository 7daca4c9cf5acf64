// SPDX-License-Identifier: MIT
#pragma once

#include "sched/cell/manager/cell_service.h"
#include "sched/cell/manager/worker_states.h"
#include "sched/cell/sharing_params.h"
#include "sched/plan/planner.h"

namespace dunlin::sched {

/// The manager's plan of its cell's slots: it hears the claims of members, plans by the rule in the
/// books, and tells members what they are allotted. Cells of cells plan nothing: each cell of nodes
/// does for itself. Asleep as long as the books have no rule.
class SlotPlans final : public CellService {
 public:
  /// `params` outlives it.
  explicit SlotPlans(const SharingParams& params)
      : planner_(params.plan, params.cell.lease, params.cell.period),
        life_(params.cell.grant_life) {}

  void on_report(const LeaderTurn& turn, const cell::MemberReport& report) override;
  void on_period(const LeaderTurn& turn) override;
  Handling on_message(
      const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) override;
  void on_outcome(const LeaderTurn& turn, const Resolution& outcome) override;
  Time deadline() const override { return planner_.deadline(); }
  void on_deadline(const LeaderTurn& turn) override;

  const Planner& planner() const { return planner_; }
  /// As reports told them since there is a rule.
  const WorkerStates& states() const { return states_; }

 private:
  void follow_rule(const LeaderTurn& turn);
  void answer(const LeaderTurn& turn, const Endpoint& to) const;

  Planner planner_;
  WorkerStates states_;
  Duration life_;
};

}  // namespace dunlin::sched
