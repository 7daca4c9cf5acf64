// SPDX-License-Identifier: MIT
#include "sched/placement.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

#include "sched/constraints.h"
#include "sched/frontend/success.h"
#include "sched/resources.h"

namespace dunlin::sched {
namespace {

class PlacementTest : public ::testing::Test {
 protected:
  void node(std::uint64_t id, std::uint32_t cpu_free, std::uint32_t cpu_total = 4000) {
    overlay::Neighbour n{};
    n.peer.id = PeerId{id};
    n.peer.address = Address::v4(static_cast<std::uint32_t>(id), 7700);
    n.peer.cpu_free = cpu_free;
    n.peer.cpu_total = cpu_total;
    n.peer.memory_free = n.peer.memory_total = 1000;
    known.push_back(n);
  }
  std::uint64_t best() {
    const auto hop = best_hop(Surroundings(known), {demand, signature, visited});
    return hop ? hop->to.id.value : 0;
  }
  std::map<std::uint64_t, int> draws(const Walk& walk, int count = 3000) {
    std::map<std::uint64_t, int> seen;
    for (int i = 0; i < count; ++i) {
      const auto hop = draw_hop(Surroundings(known), {demand, signature, visited}, walk, rng);
      ++seen[hop ? hop->to.id.value : 0];
    }
    return seen;
  }

  std::vector<overlay::Neighbour> known;
  Resources demand{.cpu = 1000, .memory = 100, .custom = {}};
  Signature signature;
  std::vector<std::uint64_t> visited;
  Rng rng{3};
};

TEST_F(PlacementTest, GreedyGoesWhereTheMostRoomIs) {
  node(1, 2000);
  node(2, 4000);
  node(3, 3000);
  EXPECT_EQ(best(), 2u);
  visited = {2};
  EXPECT_EQ(best(), 3u);
}

TEST_F(PlacementTest, GreedyGoesNowhereIfNobodyIsBelievedToHaveRoom) {
  node(1, 999);
  EXPECT_EQ(best(), 0u);
}

TEST_F(PlacementTest, RandomIsUniformOverThoseThatCouldFit) {
  for (std::uint64_t id = 1; id <= 5; ++id) node(id, 0);
  node(6, 0, 999);  // Too small even when idle.
  const auto seen = draws({.placement = Placement::random});
  EXPECT_EQ(seen.count(6), 0u);
  for (std::uint64_t id = 1; id <= 5; ++id) EXPECT_NEAR(seen.at(id), 600, 100) << id;
}

TEST_F(PlacementTest, NodesThatSurelyLackAnAttributeAreAvoided) {
  node(1, 4000);
  node(2, 4000);
  const std::vector<Attribute> attributes = {{"ssd", "true"}};
  known[1].peer.signature = signature_of(attributes, {});
  const std::vector<Constraint> wanted = {*parse_constraint("ssd")};
  signature = demanded_signature(wanted, demand);
  EXPECT_EQ(draws({.placement = Placement::random}).count(1), 0u);
  EXPECT_EQ(best(), 2u);
}

TEST_F(PlacementTest, IfNobodyKnownCouldFitAnyNeighbourMayKnowBetter) {
  node(1, 0, 999);
  EXPECT_EQ(draws({.placement = Placement::random}).count(1), 1u);
}

TEST_F(PlacementTest, NoHopOnceAllAreVisited) {
  node(1, 4000);
  visited = {1};
  EXPECT_EQ(draws({.placement = Placement::adaptive}).at(0), 3000);
}

TEST_F(PlacementTest, AdaptiveIsGreedyAsOftenAsItsShareSays) {
  node(1, 4000);
  for (std::uint64_t id = 2; id <= 5; ++id) node(id, 0);
  // Greedy with probability 102/255 = 0.4; else node 1 is one of five.
  const auto seen = draws({.placement = Placement::adaptive, .greedy_share = 102}, 10000);
  EXPECT_NEAR(seen.at(1), 10000 * (0.4 + 0.6 / 5), 250);
}

TEST_F(PlacementTest, RandomHopsKeepToTheUniformSampleWhileItHasARoomyNode) {
  for (std::uint64_t id = 1; id <= 5; ++id) node(id, 4000);
  const Surroundings around([&](Surroundings::Nodes& all, Surroundings::Nodes& random) {
    all = known;
    random = {known[1], known[3]};
  });
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < 100; ++i)
    ++seen[random_hop(around, {demand, signature, {}}, rng)->to.id.value];
  EXPECT_EQ(seen[2] + seen[4], 100);
  const std::vector<std::uint64_t> both = {2, 4};
  EXPECT_NE(random_hop(around, {demand, signature, both}, rng)->to.id.value % 2, 0u)
      << "then any other that is known";
}

class BatchSampleTest : public PlacementTest {
 protected:
  /// The nodes that so many reservations go to.
  std::vector<std::uint64_t> targets(
      int count, const Walk& walk = {.placement = Placement::random}) {
    const Surroundings around(known);
    BatchSample sample(around, others, {demand, signature, {}}, held);
    std::vector<std::uint64_t> targets;
    for (int i = 0; i < count; ++i) {
      const auto hop = sample.draw(walk, rng);
      targets.push_back(hop ? hop->to.id.value : 0);
    }
    return targets;
  }
  static std::set<std::uint64_t> distinct(const std::vector<std::uint64_t>& targets) {
    return {targets.begin(), targets.end()};
  }

  std::vector<overlay::Neighbour> others;
  std::vector<std::uint64_t> held;
};

TEST_F(BatchSampleTest, EachGetsANodeOfItsOwnThenASecondRoundBegins) {
  for (std::uint64_t id = 1; id <= 6; ++id) node(id, 0);
  others = {known[0], known[4], known[5]};
  known.resize(4);
  EXPECT_EQ(distinct(targets(6)).size(), 6u) << "one is known twice, and drawn once";
  const auto twice = targets(12);
  for (std::uint64_t id = 1; id <= 6; ++id) EXPECT_EQ(std::ranges::count(twice, id), 2) << id;
}

TEST_F(BatchSampleTest, WhoHoldsOneComesLast) {
  for (std::uint64_t id = 1; id <= 3; ++id) node(id, 0);
  held = {2};
  const auto drawn = targets(3);
  EXPECT_EQ(distinct({drawn[0], drawn[1]}), (std::set<std::uint64_t>{1, 3}));
  EXPECT_NE(drawn[2], 0u);
}

TEST_F(BatchSampleTest, NodesTooSmallAreAskedOnlyAfterAllOthers) {
  node(1, 0, 999);
  node(2, 0);
  node(3, 0);
  EXPECT_EQ(targets(3)[2], 1u);
}

TEST_F(BatchSampleTest, GreedyOnesGoToTheBestAndNotTwice) {
  node(1, 2000);
  node(2, 4000);
  node(3, 3000);
  EXPECT_EQ(targets(3, {.placement = Placement::gradient}), (std::vector<std::uint64_t>{2, 3, 1}));
}

TEST_F(BatchSampleTest, NobodyKnownIsNobodyAsked) {
  EXPECT_EQ(targets(2), (std::vector<std::uint64_t>{0, 0}));
}

// Design, section 5: the share of greedy hops follows their measured success, per demand class.
TEST(GreedySuccess, FollowsMeasuredSuccessPerClass) {
  using Class = GreedySuccess::DemandClass;
  GreedySuccess success;
  EXPECT_DOUBLE_EQ(success.share(Class::small, 0.05, 0.8), 0.5);
  for (int i = 0; i < 100; ++i) success.learn(Class::small, {.greedy_hops = 1, .greedy_hits = 0});
  for (int i = 0; i < 100; ++i) success.learn(Class::large, {.greedy_hops = 1, .greedy_hits = 1});
  EXPECT_DOUBLE_EQ(success.share(Class::small, 0.05, 0.8), 0.05);
  EXPECT_DOUBLE_EQ(success.share(Class::large, 0.05, 0.8), 0.8);
  for (int i = 0; i < 200; ++i) success.learn(Class::small, {.greedy_hops = 1, .greedy_hits = 1});
  EXPECT_GT(success.share(Class::small, 0.05, 1.0), 0.9) << "old failures fade";
}

TEST(GreedySuccess, ClassesAreRelativeToATypicalNode) {
  using Class = GreedySuccess::DemandClass;
  const Resources node{.cpu = 8000, .memory = 1000, .custom = {}};
  const auto classify = [&](std::uint32_t cpu, std::uint32_t memory) {
    return GreedySuccess::classify({.cpu = cpu, .memory = memory, .custom = {}}, false, node);
  };
  EXPECT_EQ(classify(1000, 10), Class::small);
  EXPECT_EQ(classify(3000, 10), Class::medium);
  EXPECT_EQ(classify(1000, 900), Class::large) << "the dominant resource counts";
  EXPECT_EQ(GreedySuccess::classify({}, true, node), Class::special);
}

}  // namespace
}  // namespace dunlin::sched
