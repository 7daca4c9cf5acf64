// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "sched/cell/cell_member.h"
#include "sched/cell/manager/cell_service.h"
#include "sched/cell/sharing_params.h"
#include "tests/support/cell_stage.h"

namespace dunlin::test {

/// A cell that is led here, by its only voter: what is proposed is in the books at once.
class LedCell : public CellStage {
 public:
  static constexpr std::uint64_t kSelf = 50;

  explicit LedCell(std::uint8_t level = 0, const sched::SharingParams& params = {});

  sched::LeaderContext context() { return {*group, books(), hints, above ? &*above : nullptr}; }
  sched::LeaderTurn turn() {
    return {CellStage::turn(), context(), *proposer, books().roster().dissolving};
  }
  const sched::CellBooks& books() const {
    return static_cast<const sched::CellBooks&>(group->machine());
  }
  const sched::Ledger& ledger() const { return books().ledger(); }
  sched::CellId cell() const { return books().cell(); }

  /// Puts something into the books. A failure of the test unless it applies.
  void apply(sched::books::Action action);
  void apply_change(const sched::books::Change& change);
  /// A member more, which the node of the same number speaks for.
  void admit(sched::MemberId member, sched::Tickets tickets = 4000);
  void admit(std::uint64_t node, sched::Tickets tickets = 4000) {
    admit(sched::PeerId{node}, tickets);
  }
  /// A class table of classes 1, 2, ... with these shares.
  void set_shares(const std::vector<sched::Tickets>& shares);
  /// Hands what became of proposals to `on_outcome(turn, outcome)`.
  void decide(auto&& on_outcome) {
    for (auto outcomes = group->take_outcomes(); !outcomes.empty();
        outcomes = group->take_outcomes()) {
      for (const sched::Resolution& outcome : outcomes) on_outcome(turn(), outcome);
    }
  }
  /// The report of a member, with the number after the last one.
  sched::cell::MemberReport report(sched::MemberId member, sched::Tickets tickets = 4000) {
    return {.cell = cell(), .member = member, .sequence = ++sequence, .tickets = tickets};
  }
  sched::cell::MemberReport report(std::uint64_t node, sched::Tickets tickets = 4000) {
    return report(sched::PeerId{node}, tickets);
  }

  sched::SharingParams params;
  sched::CellHints hints;
  std::optional<sched::CellMember> above;
  std::optional<sched::RaftGroup> group;
  std::optional<sched::Proposer> proposer;
  std::uint64_t sequence = 0;

 private:
  void check_applied();
};

}  // namespace dunlin::test
