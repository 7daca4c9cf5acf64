// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "overlay/neighbour.h"
#include "sched/kernel.h"

namespace dunlin::sched {

/// The nodes that gossip spoke of lately, beyond those in the views: a larger sample for batch
/// sampling to draw from. Two reservations for each of a hundred tasks find room at once if they go
/// to two hundred nodes; on the twenty of a view they would have to walk. The cache is bounded: the
/// node that came longest ago makes room.
class NodeCache {
 public:
  /// Holds `size_max` nodes; 0 turns it off.
  explicit NodeCache(std::size_t size_max) : size_max_(size_max) {}

  void hear(Time now, const overlay::Descriptor& statement);
  /// The node is gone.
  void forget(PeerId peer);

  /// The nodes, each once, in no meaningful order. Their free capacity was true when it was said.
  std::span<const overlay::Neighbour> nodes() const { return nodes_; }

 private:
  std::size_t size_max_;
  std::size_t next_ = 0;  ///< The place that the next newcomer takes, once all are taken.
  std::vector<overlay::Neighbour> nodes_;
};

}  // namespace dunlin::sched
