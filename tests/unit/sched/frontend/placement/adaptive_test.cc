// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/adaptive.h"

#include "tests/support/placing.h"

namespace dunlin::sched {
namespace {

class AdaptivePlacementTest : public test::Placing {
 protected:
  AdaptivePlacementTest() {
    params.greedy_floor = 0.2;
    params.greedy_cap = 0.8;
  }
  /// So many greedy hops, all of them good or all bad.
  void learn(AdaptivePlacement& placement, int hops, bool good) {
    const Walk report{.greedy_hops = 1, .greedy_hits = static_cast<std::uint8_t>(good ? 1 : 0)};
    for (int i = 0; i < hops; ++i) placement.learn(DemandClass::small, report);
  }
};

TEST_F(AdaptivePlacementTest, TellsWalksTheShareThatGreedyHopsSucceededIn) {
  nodes(20, 4000);
  AdaptivePlacement placement(params);
  EXPECT_EQ(choose(placement)->walk,
      (Walk{.rule = HopRule::mixed, .greedy_share = 128, .hops_left = params.hops_max}));
  learn(placement, 100, true);
  EXPECT_EQ(choose(placement)->walk.greedy_share, 204u) << "the cap";
  learn(placement, 400, false);
  EXPECT_EQ(choose(placement)->walk.greedy_share, 51u) << "the floor";
}

TEST_F(AdaptivePlacementTest, ItsOwnFirstHopsFollowTheShareToo) {
  nodes(20, 4000);
  AdaptivePlacement placement(params);
  learn(placement, 400, false);
  int greedy = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto batch = choose(placement);
    for (const Hop& hop : batch->hops) greedy += hop.greedy ? 1 : 0;
  }
  EXPECT_NEAR(greedy, 400, 60) << "of two thousand";
}

TEST_F(AdaptivePlacementTest, LooksElsewhereWhileAllWait) {
  nodes(20, 4000);
  probe(1, true);
  probe(2, true);
  AdaptivePlacement placement(params);
  EXPECT_EQ(choose(placement)->hops.size(), 1u);
}

}  // namespace
}  // namespace dunlin::sched
