// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/time.h"

namespace dunlin::sched {

/// Tickets are whole numbers: a node has as many as it has milli-CPUs. Never negative in a book.
using Tickets = std::int64_t;

/// Names a cell for good: when a cell is founded it gets one that no cell had.
using CellId = std::uint64_t;

/// Levels of cells: as many as the id of a cell can name.
inline constexpr std::uint8_t kLevels = 16;

/// The members of a cell of level 0 are nodes, those of level n cells of level n - 1. The level is
/// in the id, so that no message can claim another one.
constexpr std::uint8_t level_of(CellId cell) {
  return static_cast<std::uint8_t>(cell >> 60);
}
/// An id of that level made of what chance gave. Never 0. Requires level < kLevels.
constexpr CellId cell_id(std::uint8_t level, std::uint64_t chance) {
  return CellId{level} << 60 | chance >> 4 | 1;
}

/// Names a class: who shares the cluster.
using ClassId = std::uint32_t;

/// The most tickets that a node has or that one command moves at once.
inline constexpr Tickets kTicketsMax = Tickets{1} << 40;

/// The most that any total of a ledger reaches: sums of several still fit into 64 bits.
inline constexpr Tickets kTotalMax = Tickets{1} << 58;

/// True for an amount that can be moved.
constexpr bool is_movable(Tickets tickets) {
  return tickets > 0 && tickets <= kTicketsMax;
}

}  // namespace dunlin::sched

// Times stand in commands and snapshots as nanoseconds of the ledger's own time.
namespace dunlin::overlay {

constexpr std::int64_t to_wire(Time time) {
  return time.time_since_epoch().count();
}
constexpr bool from_wire(std::int64_t wire, Time& time) {
  time = Time{Duration{wire}};
  return wire >= 0;
}

}  // namespace dunlin::overlay
