// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sched/frontend/job_state.h"
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
  /// Where the inputs of the tasks of a group that wait are, and what those nodes have; for people.
  static std::string describe(const sched::JobState& job, std::uint16_t group, const World& world);

 private:
  World& world_;
};

}  // namespace dunlin::test
