// SPDX-License-Identifier: MIT
#include "sched/hop.h"

#include <map>
#include <vector>

#include "sched/constraints.h"
#include "tests/support/known_nodes.h"

namespace dunlin::sched {
namespace {

class HopTest : public test::KnownNodes {
 protected:
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

  std::vector<std::uint64_t> visited;
};

TEST_F(HopTest, GreedyGoesWhereTheMostRoomIs) {
  node(1, 2000);
  node(2, 4000);
  node(3, 3000);
  EXPECT_EQ(best(), 2u);
  visited = {2};
  EXPECT_EQ(best(), 3u);
}

// One number ranks views and placement: `gradient.utility`.
TEST_F(HopTest, TheUtilitySaysWhatRoomIs) {
  node(1, 4000);
  node(2, 3000);
  node(3, 2000);
  known[0].peer.memory_free = 100;
  known[1].peer.memory_free = 500;
  const auto best_by = [&](overlay::Utility utility) {
    return best_hop(Surroundings(known, utility), {demand, signature, visited})->to.id.value;
  };
  EXPECT_EQ(best_by(overlay::Utility::cpu), 1u);
  EXPECT_EQ(best_by(overlay::Utility::memory), 3u);
  EXPECT_EQ(best_by(overlay::Utility::cpu_memory), 3u);
  known[1].peer.memory_free = 900;
  EXPECT_EQ(best_by(overlay::Utility::cpu_memory), 2u);
}

TEST_F(HopTest, GreedyGoesByRatesThatTheTaskDemands) {
  node(1, 4000);
  with_net_in(1000, 100);
  node(2, 3000);
  with_net_in(1000, 800);
  node(3, 2000);
  EXPECT_EQ(best(), 1u) << "a task that needs no network";
  demand.net_in = 500;
  EXPECT_EQ(best(), 2u);
  demand.net_in = 2000;
  EXPECT_EQ(best(), 3u) << "which declares no limit";
  const auto seen = draws({.rule = HopRule::random}, 100);
  EXPECT_EQ(seen.at(3), 100) << "the others can never take it";
}

// Of room for a task of 1 CPU and 100 MiB, in shares of the nodes (.25, .1): (1, .9) has the
// largest dot product, (.75, .3) is most like it, (.3, .2) leaves the least.
TEST_F(HopTest, TheRankSaysWhichRoomIsBest) {
  node(1, 4000);
  known[0].peer.memory_free = 900;
  node(2, 3000);
  known[1].peer.memory_free = 300;
  node(3, 1200);
  known[2].peer.memory_free = 200;
  const auto best_by = [&](HopRank rank) {
    return best_hop(Surroundings(known), {demand, signature, visited, rank})->to.id.value;
  };
  EXPECT_EQ(best_by(HopRank::room), 1u);
  EXPECT_EQ(best_by(HopRank::alignment), 1u);
  EXPECT_EQ(best_by(HopRank::cosine), 2u);
  EXPECT_EQ(best_by(HopRank::best_fit), 3u);
}

TEST_F(HopTest, GreedyGoesNowhereIfNobodyIsBelievedToHaveRoom) {
  node(1, 999);
  EXPECT_EQ(best(), 0u);
}

TEST_F(HopTest, RandomIsUniformOverThoseThatCouldFit) {
  for (std::uint64_t id = 1; id <= 5; ++id) node(id, 0);
  node(6, 0, 999);  // Too small even when idle.
  const auto seen = draws({.rule = HopRule::random});
  EXPECT_EQ(seen.count(6), 0u);
  for (std::uint64_t id = 1; id <= 5; ++id) EXPECT_NEAR(seen.at(id), 600, 100) << id;
}

TEST_F(HopTest, NoHopGoesToASickNode) {
  node(1, 4000);
  node(2, 4000);
  known[1].peer.cpu_total = known[1].peer.memory_total = 0;
  demand = {};  // It would fit anywhere.
  EXPECT_EQ(draws({.rule = HopRule::random}).count(2), 0u);
  visited = {1};
  EXPECT_EQ(draws({.rule = HopRule::random}).count(2), 0u) << "not even as the last one";
  EXPECT_EQ(best(), 0u);
}

TEST_F(HopTest, NodesThatSurelyLackAnAttributeAreAvoided) {
  node(1, 4000);
  node(2, 4000);
  const std::vector<Attribute> attributes = {{"ssd", "true"}};
  known[1].peer.signature = signature_of(attributes, {});
  const std::vector<Constraint> wanted = {*parse_constraint("ssd")};
  signature = demanded_signature(wanted, demand);
  EXPECT_EQ(draws({.rule = HopRule::random}).count(1), 0u);
  EXPECT_EQ(best(), 2u);
}

TEST_F(HopTest, IfNobodyKnownCouldFitAnyNeighbourMayKnowBetter) {
  node(1, 0, 999);
  EXPECT_EQ(draws({.rule = HopRule::random}).count(1), 1u);
}

TEST_F(HopTest, NoHopOnceAllAreVisited) {
  node(1, 4000);
  visited = {1};
  EXPECT_EQ(draws({.rule = HopRule::mixed}).at(0), 3000);
}

TEST_F(HopTest, MixedIsGreedyAsOftenAsItsShareSays) {
  node(1, 4000);
  for (std::uint64_t id = 2; id <= 5; ++id) node(id, 0);
  // Greedy with probability 102/255 = 0.4; else node 1 is one of five.
  const auto seen = draws({.rule = HopRule::mixed, .greedy_share = 102}, 10000);
  EXPECT_NEAR(seen.at(1), 10000 * (0.4 + 0.6 / 5), 250);
}

TEST_F(HopTest, RandomHopsKeepToTheUniformSampleWhileItHasARoomyNode) {
  for (std::uint64_t id = 1; id <= 5; ++id) node(id, 4000);
  const Surroundings around(
      [&](Surroundings::Nodes& all, Surroundings::Nodes& random) {
        all = known;
        random = {known[1], known[3]};
      },
      {}, [](PeerId) { return true; }, {});
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < 100; ++i)
    ++seen[random_hop(around, {demand, signature, {}}, rng)->to.id.value];
  EXPECT_EQ(seen[2] + seen[4], 100);
  const std::vector<std::uint64_t> both = {2, 4};
  EXPECT_NE(random_hop(around, {demand, signature, both}, rng)->to.id.value % 2, 0u)
      << "then any other that is known";
}

}  // namespace
}  // namespace dunlin::sched
