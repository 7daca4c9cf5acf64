// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/cell/cell_hints.h"
#include "sched/cell/cell_turn.h"
#include "sched/ledger/cell_books.h"
#include "sched/raft/raft_group.h"

namespace dunlin::sched {

class CellMember;

/// Names a proposal of one manager; Resolution::id says which one is decided.
using ProposalId = std::uint64_t;

/// The things that the manager of a cell works on. Valid only during the call.
struct LeaderContext {
  RaftGroup& group;
  const CellBooks& books;  ///< The machine of that group.
  const CellHints& hints;
  const CellMember* above =
      nullptr;  ///< The cell as a member of its parent; null while it is none.
};

/// The nodes that keep the books of that group, as many as a message names.
std::vector<books::Contact> contacts_of(const RaftGroup& group);

/// Puts commands into the log of a cell in the name of the manager of one epoch. It numbers them,
/// so that the manager hears what became of each, and stamps them by the clock of the books.
class Proposer {
 public:
  /// Requires that the group is led here.
  Proposer(Time now, const LeaderContext& context);

  Epoch epoch() const { return epoch_; }
  /// The time by the clock of the books at `now`. It stood still while the cell had no manager.
  Time stamp(Time now) const { return books_began_ + (now - began_); }

  /// Asks for an action of the ledger. Empty if too much waits for the voters already.
  std::optional<ProposalId> propose(const CellTurn& turn, RaftGroup& group, books::Action action);
  /// The same for a change of the roster.
  std::optional<ProposalId> propose(
      const CellTurn& turn, RaftGroup& group, const books::Change& change);

 private:
  Epoch epoch_;
  Time began_;
  Time books_began_;
  ProposalId last_;  ///< The id of the last proposal.
};

/// All that the services of a manager may see and touch during one step. Valid only during the
/// call.
struct LeaderTurn : CellTurn, LeaderContext {
  Proposer& proposer;
  bool ending = false;  ///< The cell was dissolving when the step began.

  CellId cell() const { return books.cell(); }
  std::uint8_t level() const { return level_of(books.cell()); }
  Epoch epoch() const { return proposer.epoch(); }
  /// Now, by the clock of the books.
  Time stamp() const { return proposer.stamp(now); }

  /// Asks the voters for an action of the ledger. Returns the id under which
  /// CellService::on_outcome() hears of it; empty if too much waits for the voters already.
  std::optional<ProposalId> propose(books::Action action) const;
  /// The same for a change of the roster.
  std::optional<ProposalId> propose_change(const books::Change& change) const;

  /// The cell of this level that is to have what this one leaves when it ends: the one that its
  /// books name, or else the largest. Empty if gossip knows of none that goes on.
  std::optional<cell::Hint> heir() const;
  /// True if that node speaks for `cell`, as far as gossip and books here know.
  bool speaks_for(CellId cell, PeerId node) const;
};

}  // namespace dunlin::sched
