// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "sched/ledger/books.h"

// Commands that move savings between cells: see transfer_commands.cc for the protocol. Each does
// all it says or nothing, and may come again without harm.
namespace dunlin::sched::books {

Outcome apply(State& state, const HoldSavings& hold);
Outcome apply(State& state, const Accept& accept);
Outcome apply(State& state, const Refuse& refuse);
Outcome apply(State& state, const Settle& settle);
Outcome apply(State& state, const Undo& undo);
/// An operator says that a cell is lost for good. All that was under way to it comes back, and the
/// operator may issue again at most what it had received in net from here.
Outcome apply(State& state, const WriteOff& lost);

/// True if a transfer from another cell was accepted, false if it was refused; empty if that is not
/// decided or no longer known. Once committed, it may be told to the sender.
std::optional<bool> verdict_of(const State& state, CellId from, std::uint64_t number);

/// What the receiver knows of transfers that the sender has forgotten.
struct EarlierLife {
  std::uint64_t below = 0;  ///< The sender was done with all below this number, or has sent them.
  Tickets received = 0;     ///< Accepted of those, in all.
};
/// Set if the sender offers under `number` another transfer than it did before, or one that it said
/// it was done with: its books were set back, as by an older database of its only voter.
std::optional<EarlierLife> earlier_life(
    const State& state, CellId from, std::uint64_t number, Tickets tickets);
/// The number of the next transfer to a cell.
std::uint64_t next_number(const State& state, CellId to);
/// The number for Accept::settled_below: the sender is done with all transfers below it.
std::uint64_t settled_below(const State& state, CellId to);

}  // namespace dunlin::sched::books
