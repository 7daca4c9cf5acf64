// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sched/kernel.h"
#include "sched/ledger/books.h"

namespace dunlin::sched {

/// The first invariant of a state that does not hold, in words; empty if all do:
/// - capacity: the nodes' tickets are what was minted and not burned; none grants more than it has;
/// - savings: accounts + under way = issued + reissued + received - redeemed - expired - sent;
/// - nothing is negative, every list is sorted by its key and within its bound.
std::optional<std::string> broken_invariant(const books::State& state);

/// The tickets of a ledger, and their origin. Audits can be added up.
struct Audit {
  Tickets minted = 0;   ///< Capacity of nodes, less that of nodes that left.
  Tickets created = 0;  ///< Savings issued, less those drawn and expired.
  Tickets pools = 0;    ///< Capacity not granted.
  Tickets granted = 0;
  Tickets available = 0;  ///< In accounts and local reserves.
  Tickets in_flight = 0;  ///< Held for other cells, neither settled nor undone.
  Tickets sent = 0;       ///< Settled.
  Tickets received = 0;   ///< Accepted from other cells.

  Audit& operator+=(const Audit& other);
  friend bool operator==(const Audit&, const Audit&) = default;
};

Audit audit_of(const books::State& state);

/// True of one ledger at any time: pools + granted + available + in flight = minted + created +
/// received - sent.
bool balances(const Audit& audit);

/// The reason why tickets were lost or doubled between cells; empty if none were. `states` must be
/// a consistent cut: no state in it may know of something that another has still to do. It checks
/// each ledger, and for each pair that the receiver accepted what the sender settled or still has
/// under way, no more and no less. Cells that were written off are left out.
std::optional<std::string> broken_between(std::span<const books::State* const> states);

/// The sum over the cells of a consistent cut. Savings under way that are accepted already are
/// counted once: at their receiver.
Audit add_up(std::span<const books::State* const> states);

}  // namespace dunlin::sched
