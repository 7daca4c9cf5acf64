// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/batch_sample.h"

#include <algorithm>
#include <set>
#include <vector>

#include "tests/support/known_nodes.h"

namespace dunlin::sched {
namespace {

class BatchSampleTest : public test::KnownNodes {
 protected:
  /// The nodes that so many reservations go to.
  std::vector<std::uint64_t> targets(int count, const Walk& walk = {.rule = HopRule::random}) {
    const Surroundings around(known);
    BatchSample sample(around, others, {demand, signature, {}}, held, closed);
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
  std::vector<std::uint64_t> closed;
};

TEST_F(BatchSampleTest, EachGetsANodeOfItsOwnThenASecondRoundBegins) {
  for (std::uint64_t id = 1; id <= 6; ++id) node(id, 0);
  others = {known[0], known[4], known[5]};
  known.resize(4);
  EXPECT_EQ(distinct(targets(6)).size(), 6u) << "one is known twice, and drawn once";
  const auto twice = targets(12);
  for (std::uint64_t id = 1; id <= 6; ++id) EXPECT_EQ(std::ranges::count(twice, id), 2) << id;
}

TEST_F(BatchSampleTest, NodesThatHoldOneComeLast) {
  for (std::uint64_t id = 1; id <= 3; ++id) node(id, 0);
  held = {2};
  const auto drawn = targets(3);
  EXPECT_EQ(distinct({drawn[0], drawn[1]}), (std::set<std::uint64_t>{1, 3}));
  EXPECT_NE(drawn[2], 0u);
}

TEST_F(BatchSampleTest, ClosedAndSickNodesAreNeverDrawn) {
  for (std::uint64_t id = 1; id <= 4; ++id) node(id, 4000);
  closed = {2};
  known[2].peer.cpu_total = known[2].peer.memory_total = 0;
  for (const HopRule rule : {HopRule::random, HopRule::greedy}) {
    EXPECT_EQ(distinct(targets(8, {.rule = rule})), (std::set<std::uint64_t>{1, 4}));
  }
  known.resize(3);
  known.erase(known.begin());
  EXPECT_EQ(targets(1)[0], 0u) << "nobody is left";
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
  EXPECT_EQ(targets(3, {.rule = HopRule::greedy}), (std::vector<std::uint64_t>{2, 3, 1}));
}

TEST_F(BatchSampleTest, NobodyKnownIsNobodyAsked) {
  EXPECT_EQ(targets(2), (std::vector<std::uint64_t>{0, 0}));
}

}  // namespace
}  // namespace dunlin::sched
