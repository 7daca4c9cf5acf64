// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "sched/cell/message.h"
#include "sim/measure/message_kind.h"

namespace dunlin::sim {

/// The levels of cells that are told apart; higher ones count with the highest.
inline constexpr std::size_t kCellLevels = 4;

/// The cost of cells to a peer so far.
struct CellLoad {
  std::array<std::uint32_t, kCellKinds> messages{};  ///< Sent and received, by kind.
  /// The messages that concern a cell, by its level. The rest is gossip.
  std::array<std::uint32_t, kCellLevels> of_level{};
  std::uint64_t cpu_ns = 0;  ///< 0 unless it was measured: it depends on the machine.

  void count(const sched::cell::Message& message);
  /// All messages.
  std::uint64_t sum() const;
  /// The cost since it was `before`.
  CellLoad since(const CellLoad& before) const;
};

/// The CPU time of this thread, in ns.
std::uint64_t thread_cpu_ns();

}  // namespace dunlin::sim
