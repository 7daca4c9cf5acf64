// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>

#include "sched/kernel.h"

namespace dunlin::sched {

/// Tickets are whole numbers: a node has one for each milli-CPU. They are never negative in a book.
using Tickets = std::int64_t;

/// Names a member of a cell: at level 0 a node, above it a cell of the level below. The books and
/// their manager treat both alike, so every node and every cell converts to the member that it is.
/// The way back says which of the two is meant, because the id alone does not tell. 0 is none.
struct MemberId {
  std::uint64_t value = 0;

  constexpr MemberId() = default;
  constexpr MemberId(overlay::PeerId node) : value(node.value) {}
  constexpr MemberId(CellId cell) : value(cell.value) {}

  /// Requires that the member is one of a cell of level 0.
  constexpr overlay::PeerId node() const { return {value}; }
  /// Requires that the member is one of a cell of a higher level.
  constexpr CellId cell() const { return {value}; }

  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(const MemberId&, const MemberId&) = default;
};

constexpr std::uint64_t to_wire(MemberId id) {
  return id.value;
}
constexpr bool from_wire(std::uint64_t wire, MemberId& id) {
  id.value = wire;
  return true;
}

/// The number of levels: as many as the id of a cell can name.
inline constexpr std::uint8_t kLevels = 16;

/// Members of a cell of level 0 are nodes, those of level n cells of level n - 1. The level is in
/// the id, so that no message can claim another one.
constexpr std::uint8_t level_of(CellId cell) {
  return static_cast<std::uint8_t>(cell.value >> 60);
}
/// An id of that level with random bits. Never 0. Requires level < kLevels.
constexpr CellId cell_id(std::uint8_t level, std::uint64_t chance) {
  return {std::uint64_t{level} << 60 | chance >> 4 | 1};
}
/// Sorts before every id of that level, and after every id of the levels below.
constexpr CellId lowest_cell_id(std::uint8_t level) {
  return {std::uint64_t{level} << 60};
}

/// Names a class of jobs that shares the cluster.
using ClassId = std::uint32_t;

/// The tickets that a node has, or that one command moves, at most.
inline constexpr Tickets kTicketsMax = Tickets{1} << 40;

/// The bound of any total of a ledger: sums of several still fit into 64 bits.
inline constexpr Tickets kTotalMax = Tickets{1} << 58;

/// True for an amount that can be moved.
constexpr bool is_movable(Tickets tickets) {
  return tickets > 0 && tickets <= kTicketsMax;
}

}  // namespace dunlin::sched

// Times stand in commands and snapshots as nanoseconds of the ledger's own time, which no clock of
// a node has.
namespace dunlin::overlay {

constexpr std::int64_t to_wire(Time time) {
  return time.time_since_epoch().count();
}
constexpr bool from_wire(std::int64_t wire, Time& time) {
  time = Time{Duration{wire}};
  return wire >= 0;
}

}  // namespace dunlin::overlay
