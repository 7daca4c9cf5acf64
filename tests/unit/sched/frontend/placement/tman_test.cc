// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/tman.h"

#include "tests/support/placing.h"

namespace dunlin::sched {
namespace {

class TManPlacementTest : public test::Placing {
 protected:
  /// The nodes from `first` on are the gradient's neighbours, the others Cyclon's.
  std::optional<Batch> choose_from(std::size_t first) {
    const Surroundings around(
        [&](Surroundings::Nodes& all, Surroundings::Nodes& random) {
          all = known;
          random.assign(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(first));
        },
        {}, [&](PeerId id) { return id.value > first; }, {});
    TManPlacement placement(params);
    return placement.choose(need(), {.around = around, .others = known}, rng);
  }
};

TEST_F(TManPlacementTest, AsksNeighboursOfTheGradientAlone) {
  nodes(40, 4000);
  params.probe_ratio_full = 1;
  params.hops_max = 0;
  std::set<std::uint64_t> asked;
  for (int i = 0; i < 200; ++i) {
    const auto batch = choose_from(20);
    ASSERT_EQ(batch->hops.size(), 2u);
    EXPECT_EQ(batch->walk, (Walk{.rule = HopRule::random, .hops_left = 0}));
    asked.merge(targets(*batch));
  }
  EXPECT_EQ(asked.size(), 20u) << "all of them, each by chance";
  EXPECT_EQ(*asked.begin(), 21u);
}

TEST_F(TManPlacementTest, WithoutAViewAnyNodeKnownIsAsked) {
  nodes(5, 4000);
  const auto batch = choose_from(5);
  ASSERT_TRUE(batch);
  EXPECT_FALSE(batch->hops.empty());
}

TEST_F(TManPlacementTest, AGroupThatWasTurnedAwayAsksAnyNodeKnown) {
  nodes(40, 4000);
  turned_away = true;
  std::set<std::uint64_t> asked;
  for (int i = 0; i < 200; ++i) asked.merge(targets(*choose_from(20)));
  EXPECT_LE(*asked.begin(), 20u);
}

TEST_F(TManPlacementTest, ATaskTooLargeForTheNeighboursGoesToOthers) {
  nodes(40, 4000);
  for (auto& node : known) {
    if (node.peer.id.value > 20) node.peer.cpu_total = 100;
  }
  const auto batch = choose_from(20);
  ASSERT_FALSE(batch->hops.empty());
  for (const std::uint64_t id : targets(*batch)) EXPECT_LE(id, 20u);
}

}  // namespace
}  // namespace dunlin::sched
