// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "sched/kernel.h"
#include "tests/support/world.h"

namespace dunlin::test {

/// Watches the plans that nodes obey: none is of an epoch below the highest that the node, since it
/// started, has obeyed in that cell.
class EpochWatch {
 public:
  /// `world` outlives it.
  explicit EpochWatch(World& world) : world_(world) {}

  /// Looks at all nodes, and declares the run broken if one does. Returns the nodes at which
  /// allotments hold.
  std::uint64_t look();

 private:
  /// A life of a node as a member of a cell.
  using Membership = std::pair<std::uint32_t, sched::CellId>;

  World& world_;
  std::map<std::size_t, std::pair<Membership, std::uint64_t>> obeyed_;  ///< By node.
};

}  // namespace dunlin::test
