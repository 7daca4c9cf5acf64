// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/gradient.h"

#include "tests/support/placing.h"

namespace dunlin::sched {
namespace {

using GradientPlacementTest = test::Placing;

TEST_F(GradientPlacementTest, AsksTheNodesWithTheMostRoom) {
  nodes(20, 1000);
  known[4].peer.cpu_free = 3000;
  known[8].peer.cpu_free = 4000;
  params.probe_ratio_full = 1;
  GradientPlacement placement(params);
  const auto batch = choose(placement);
  ASSERT_EQ(batch->hops.size(), 2u);
  EXPECT_EQ(batch->hops[0].to.id.value, 9u);
  EXPECT_EQ(batch->hops[1].to.id.value, 5u);
  EXPECT_EQ(batch->walk.rule, HopRule::greedy);
}

TEST_F(GradientPlacementTest, GoesAnywhereIfNoNodeIsBelievedToHaveRoom) {
  nodes(20, 0);
  GradientPlacement placement(params);
  const auto batch = choose(placement);
  ASSERT_EQ(batch->hops.size(), 4u) << "probe_ratio_full";
  EXPECT_FALSE(batch->hops[0].greedy);
}

TEST_F(GradientPlacementTest, LooksElsewhereWhileAllWait) {
  nodes(20, 4000);
  probe(1, true);
  probe(2, true);
  GradientPlacement placement(params);
  EXPECT_EQ(choose(placement)->hops.size(), 1u);
  out[0].queued = false;
  EXPECT_FALSE(choose(placement));
}

}  // namespace
}  // namespace dunlin::sched
