// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tests/support/world.h"

namespace dunlin::test {

/// Jobs of a swarm with inputs at some of its nodes, and what must hold of the loans that their
/// tasks take: each ends with its lease, and a node never lends more than it may.
class InputWatch {
 public:
  explicit InputWatch(World& world) : world_(world) {}

  /// Puts the inputs of some groups to nodes; one of these can run the tasks of its group.
  static void draw(sched::Job& job, const std::vector<NodeConfig>& nodes, overlay::Rng& rng);
  void look() const;

 private:
  World& world_;
};

}  // namespace dunlin::test
