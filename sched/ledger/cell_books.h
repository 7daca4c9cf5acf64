// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sched/ledger/ledger.h"
#include "sched/ledger/roster.h"
#include "sched/raft/state_machine.h"

namespace dunlin::sched {

/// What the voters of a cell replicate: its ledger, and a roster of what must outlive managers:
/// who the members are and where, the class table, the parent. The nodes of the ledger and the
/// members of the roster are the same. All else of a cell is soft: reports, leases, scores.
class CellBooks final : public StateMachine {
 public:
  explicit CellBooks(CellId cell) : ledger_(cell) {}

  /// Commands, as propose() wants them.
  static std::string encode(const books::Command& command);
  /// A change of the roster, which its leader stamps as it does commands.
  static std::string encode(Time at, const books::Change& change);
  /// What apply() returned. Nothing that apply() returns is of another size.
  static books::Outcome outcome_of(std::string_view result);

  std::string apply(Epoch epoch, std::string_view command) override;
  void claim(Epoch epoch) override;
  std::string snapshot() const override;
  Result<void> restore(std::string_view bytes) override;

  CellId cell() const { return ledger_.state().cell; }
  const Ledger& ledger() const { return ledger_; }
  const books::Roster& roster() const { return roster_; }
  /// Where a member speaks from; nullptr if it is none.
  const books::Contact* contact(PeerId member) const;
  /// Of all members together.
  Tickets tickets() const;
  /// True if this cell was written off here.
  bool is_lost(CellId cell) const;

 private:
  books::Outcome perform(Epoch epoch, std::string_view command);
  books::Outcome act(Epoch epoch, Time at, const books::Classes& classes);
  books::Outcome act(Epoch epoch, Time at, const books::Admit& admit);
  books::Outcome act(Epoch epoch, Time at, const books::SetParent& parent);
  books::Outcome act(Epoch epoch, Time at, const books::Dissolve& dissolve);
  books::Outcome act(Epoch epoch, Time at, const books::Close& close);
  books::Outcome act(Epoch epoch, Time at, const books::Missing& missing);
  books::Outcome act(Epoch epoch, Time at, const books::Found& found);
  books::Outcome act(Epoch epoch, Time at, const books::Annul& annul);
  /// Members are those of the ledger; who is one, or was written off, is not missing.
  void follow_ledger();

  Ledger ledger_;
  books::Roster roster_;
};

/// True if a class table makes sense: sorted by class, shares from 0 upwards, one of them more.
/// Fails with `usage`, naming the class and the cure.
Result<void> validate(const books::Classes& classes);

}  // namespace dunlin::sched
