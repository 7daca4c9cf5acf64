// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/random.h"

#include <algorithm>

#include "tests/support/placing.h"

namespace dunlin::sched {
namespace {

using RandomPlacementTest = test::Placing;

TEST_F(RandomPlacementTest, AsksWhateverIsBelievedFree) {
  nodes(20, 0);
  for (std::size_t i = 10; i < 20; ++i) known[i].peer.cpu_free = 4000;
  params.probe_ratio_full = 1;
  RandomPlacement placement(params);
  int full = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto batch = choose(placement);
    ASSERT_EQ(batch->hops.size(), 2u);
    for (const Hop& hop : batch->hops) {
      EXPECT_FALSE(hop.greedy);
      full += hop.to.id.value <= 10 ? 1 : 0;
    }
  }
  EXPECT_NEAR(full, 1000, 100);
}

TEST_F(RandomPlacementTest, ItsReservationsWalkAtRandom) {
  nodes(20, 4000);
  params.hops_max = 7;
  RandomPlacement placement(params);
  EXPECT_EQ(choose(placement)->walk, (Walk{.rule = HopRule::random, .hops_left = 7}));
}

// As Sparrow's do, however much is free elsewhere.
TEST_F(RandomPlacementTest, LeavesAJobWaitingWhereItWaits) {
  nodes(20, 4000);
  probe(1, true);
  probe(2, true);
  RandomPlacement placement(params);
  EXPECT_FALSE(choose(placement));
}

}  // namespace
}  // namespace dunlin::sched
