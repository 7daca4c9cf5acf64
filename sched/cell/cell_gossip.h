// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/cell/cell_hints.h"
#include "sched/cell/cell_needs.h"
#include "sched/cell/cell_turn.h"
#include "sched/cell/class_table.h"
#include "sched/cell/params.h"

namespace dunlin::sched {

/// A node's knowledge of cells and classes by gossip, which it passes on to its neighbours: hints
/// where cells are managed and have room, and the class table.
class CellGossip {
 public:
  /// Hints that one message carries.
  static constexpr std::size_t kHintsMax = cell::Gossip::kHintsMax;

  /// `params` outlives this.
  explicit CellGossip(const CellParams& params) : params_(&params) {}

  /// Gossips with a neighbour if that is due; sooner again if this node `seeks` a cell.
  void wake(const CellTurn& turn, bool seeks);
  void receive(const CellTurn& turn, const Endpoint& from, const cell::Gossip& heard);
  Time deadline() const { return next_; }

  /// Drops hints that are too old.
  void forget_old(Time now) { hints_.forget_old(now, params_->hint_life); }
  /// Takes a hint in as if a neighbour had told it. A manager speaks of its own cell so.
  void hear(Time now, const cell::Hint& hint) { hints_.hear(now, params_->hint_life, hint); }
  /// A cell said itself that it has no room.
  void full(CellId cell) { hints_.full(cell); }
  /// Takes over a newer class table, and hurries to tell it.
  void adopt(const CellTurn& turn, const books::Classes& classes);
  /// The lease of a member here, of `cell`, tells of the manager's class table: takes it over, or
  /// sends this one up if it is newer.
  void on_lease(const CellTurn& turn, const Endpoint& from, const cell::Lease& lease, CellId cell);
  /// There is news: the next exchanges follow sooner.
  void hurry();
  /// Tells a node that a full cell turned away which cells of that level have room.
  void refer(const CellTurn& turn, const Endpoint& to, std::uint8_t level) const;

  const CellHints& hints() const { return hints_; }
  const ClassTable& table() const { return table_; }
  const CellNeeds& needs() const { return needs_; }

 private:
  void learn(const CellTurn& turn, std::uint16_t needs);
  void spread_soon(const CellTurn& turn);

  const CellParams* params_;
  CellHints hints_;
  ClassTable table_;
  CellNeeds needs_;
  Time next_{};
  std::uint8_t hurried_ = 0;  ///< So many exchanges more follow sooner.
};

}  // namespace dunlin::sched
