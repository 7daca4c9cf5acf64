// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "overlay/neighbour.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// Nodes that gossip lately spoke of, beyond those in the views: a larger sample for batch sampling
/// to draw from. Two reservations for each of a hundred tasks find room at once if they go to two
/// hundred nodes; on the twenty of a view they would have to walk. Bounded; the one heard of
/// longest ago makes room.
class NodeCache {
 public:
  /// At most so many.
  explicit NodeCache(std::size_t most) : most_(most) {}

  void hear(Time now, const overlay::Descriptor& statement);
  /// The node is gone.
  void forget(PeerId peer);

  /// Different nodes, in no order that means anything. What they have free was true when it was
  /// said.
  std::span<const overlay::Neighbour> nodes() const { return nodes_; }

 private:
  std::size_t most_;
  std::size_t next_ = 0;  ///< Whose place the next newcomer takes, once all are taken.
  std::vector<overlay::Neighbour> nodes_;
};

}  // namespace dunlin::sched
