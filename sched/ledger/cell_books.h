// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sched/ledger/ledger.h"
#include "sched/ledger/roster.h"
#include "sched/raft/state_machine.h"

namespace dunlin::sched {

/// The state that the voters of a cell replicate: its ledger, and a roster of what must outlive
/// managers: the members with their addresses, the class table, the parent, the homes of logs of
/// jobs. The nodes of the ledger and the members of the roster are the same. The rest of a cell is
/// soft: a new manager learns reports, leases and scores within a period.
class CellBooks final : public StateMachine {
 public:
  explicit CellBooks(CellId cell) : ledger_(cell) {}

  /// A command, as propose() wants it.
  static std::string encode(const books::Command& command);
  /// A change of the roster, which its leader stamps as it does commands.
  static std::string encode(Time at, const books::Change& change);
  /// Reads what apply() returned: one byte. Any other size comes from the engine, which refused.
  static books::Outcome outcome_of(std::string_view result);

  std::string apply(Epoch epoch, std::string_view command) override;
  void claim(Epoch epoch) override;
  std::string snapshot() const override;
  Result<void> restore(std::string_view bytes) override;

  CellId cell() const { return ledger_.state().cell; }
  const Ledger& ledger() const { return ledger_; }
  const books::Roster& roster() const { return roster_; }
  /// The address from which a member speaks; nullptr if it is no member.
  const books::Contact* contact(MemberId member) const;
  /// The tickets of all members together.
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
  /// A command about a log of jobs: see log_commands.h.
  template <typename LogCommand>
  books::Outcome act(Epoch epoch, Time at, const LogCommand& command);
  /// Removes roster entries that the ledger contradicts: members that it does not have, and missing
  /// cells that are back or written off.
  void follow_ledger();

  Ledger ledger_;
  books::Roster roster_;
};

/// PlanRule::reserve at most.
inline constexpr std::uint16_t kPlanReserveMax = 1000;

/// Fails with `usage`, naming the class and the cure, unless a class table makes sense: sorted by
/// class, no share negative, at least one positive. It may be empty where a rule of plans was set.
Result<void> validate(const books::Classes& classes);

}  // namespace dunlin::sched
