// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include "tests/support/raft_world.h"

// Steps that tests of one group of replicas repeat.
namespace dunlin::test {

inline constexpr overlay::Duration kSoon = std::chrono::seconds(30);

/// A group of `founders`, on as many of `nodes`, with messages that travel as bytes.
inline RaftWorld world(
    std::size_t founders, std::size_t nodes, const sched::RaftParams& params = {}) {
  return RaftWorld({.founders = founders, .nodes = nodes, .params = params, .codec = true});
}

/// Runs until there is a manager, and says which node it is.
inline std::size_t elected(RaftWorld& world) {
  EXPECT_TRUE(world.run_until([&] { return world.manager() != world.size(); }, kSoon));
  return world.manager();
}

/// Runs until all have applied the same, and nothing was violated.
inline void settle(RaftWorld& world) {
  EXPECT_TRUE(world.run_until([&] { return world.settled(); }, kSoon)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

/// Members are whoever is there.
inline void reconcile(RaftWorld& world) {
  for (int i = 0; i < 100 && !world.reconcile(); ++i) world.run_for(std::chrono::seconds(1));
  EXPECT_TRUE(world.reconcile()) << world.describe();
}

}  // namespace dunlin::test
