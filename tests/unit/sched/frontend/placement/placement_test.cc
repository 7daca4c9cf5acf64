// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/placement.h"

#include "sched/frontend/placement/adaptive.h"
#include "sched/frontend/placement/gradient.h"
#include "sched/frontend/placement/random.h"
#include "sched/frontend/placement/tman.h"
#include "tests/support/placing.h"

namespace dunlin::sched {
namespace {

class PlacementTest : public test::Placing {
 protected:
  std::unique_ptr<Placement> named(PlacementName name) {
    params.placement = name;
    return make_placement(params);
  }
};

constexpr PlacementName kPlacements[] = {PlacementName::random, PlacementName::gradient,
    PlacementName::adaptive, PlacementName::tman, PlacementName::federated};

TEST_F(PlacementTest, IsMadeByItsName) {
  EXPECT_EQ(std::size(kPlacements), std::size(overlay::kWords<PlacementName>))
      << "add new ones here";
  const auto random = named(PlacementName::random);
  const auto gradient = named(PlacementName::gradient);
  const auto adaptive = named(PlacementName::adaptive);
  EXPECT_NE(dynamic_cast<const RandomPlacement*>(random.get()), nullptr);
  EXPECT_NE(dynamic_cast<const GradientPlacement*>(gradient.get()), nullptr);
  EXPECT_NE(dynamic_cast<const AdaptivePlacement*>(adaptive.get()), nullptr);
  const auto tman = named(PlacementName::tman);
  EXPECT_NE(dynamic_cast<const TManPlacement*>(tman.get()), nullptr);
  const auto without_match = named(PlacementName::federated);
  EXPECT_NE(dynamic_cast<const AdaptivePlacement*>(without_match.get()), nullptr);
}

// Whatever it prefers: it keeps to the bounds, and while anything could help it sends something.
TEST_F(PlacementTest, AllSendReservationsWithinBounds) {
  nodes(40, 4000);
  waiting = 1000;
  for (const PlacementName name : kPlacements) {
    const auto batch = choose(*named(name));
    ASSERT_TRUE(batch) << static_cast<int>(name);
    EXPECT_EQ(batch->hops.size(), params.probes_max);
    EXPECT_EQ(batch->walk.hops_left, params.hops_max);
    EXPECT_GE(batch->rest, params.reprobe_period);
  }
}

TEST_F(PlacementTest, AllBindAsManyTasksAsTheWorkerHasRoomFor) {
  for (const PlacementName name : kPlacements) {
    EXPECT_EQ(named(name)->grant({.room = 3}), 3u);
  }
}

}  // namespace
}  // namespace dunlin::sched
