// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books.h"

namespace dunlin::sched {

/// The first thing that does not hold of a state, in words; empty if all does:
/// - capacity: what nodes have is what was minted and not burned; none grants more than it has;
/// - savings: accounts + under way = issued + reissued + received - redeemed - expired - sent;
/// - nothing is negative, every list is sorted by its key and within its bound.
std::optional<std::string> broken_invariant(const books::State& state);

/// What a ledger has and where it came from. Can be added up.
struct Audit {
  Tickets minted = 0;   ///< Capacity of nodes, less that of nodes that left.
  Tickets created = 0;  ///< Savings issued, less those drawn and expired.
  Tickets pools = 0;    ///< Capacity not granted.
  Tickets granted = 0;
  Tickets available = 0;  ///< In accounts and local reserves.
  Tickets in_flight = 0;  ///< Reserved for other cells, neither settled nor undone.
  Tickets sent = 0;       ///< Settled.
  Tickets received = 0;   ///< Accepted from other cells: the inbox.

  Audit& operator+=(const Audit& other);
  friend bool operator==(const Audit&, const Audit&) = default;
};

Audit audit_of(const books::State& state);

/// True of one ledger at any time: pools + granted + available + in flight = minted + created +
/// received - sent.
bool balances(const Audit& audit);

/// Why tickets were lost or doubled between cells; empty if none were. `states` must be a
/// consistent cut: no state in it may know of something that another has still to do. Checks each
/// ledger, and for each pair that the receiver accepted what the sender settled or still has under
/// way, no more and no less. Cells that were written off are left out.
std::optional<std::string> broken_between(std::span<const books::State* const> states);

/// All that the cells of a consistent cut have. What is under way and accepted already is counted
/// once: at its receiver.
Audit add_up(std::span<const books::State* const> states);

}  // namespace dunlin::sched
