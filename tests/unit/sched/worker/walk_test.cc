// SPDX-License-Identifier: MIT
#include "sched/worker/walk/walk.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using sched::Reserve;

/// A reservation at node 99, which knows nodes 1 to 3.
class WalkTest : public Solo {
 protected:
  WalkTest() {
    know_nodes(3);
    reserve.walk.rule = sched::HopRule::random;
    reserve.walk.hops_left = 5;
  }
  bool pass_on() {
    out.clear();
    auto now_turn = turn();
    return sched::pass_on(now_turn, around(), {99}, reserve);
  }

  Reserve reserve = reserve_of(1);
};

TEST_F(WalkTest, TakesAHopToANodeNotVisited) {
  reserve.walk.visited.push_back(1);
  reserve.walk.visited.push_back(3);
  ASSERT_TRUE(pass_on());
  EXPECT_EQ(out.sent[0].first, node(2));
  const auto next = out.only<Reserve>();
  EXPECT_EQ(next.walk.hops_left, 4u);
  EXPECT_EQ(std::ranges::count(next.walk.visited, 99u), 1) << "nor back to where it comes from";
  EXPECT_FALSE(next.settled);
  EXPECT_TRUE(std::holds_alternative<sched::ReservationForwarded>(events.seen.at(0)));
}

TEST_F(WalkTest, CountsGreedyHops) {
  reserve.walk.rule = sched::HopRule::greedy;
  ASSERT_TRUE(pass_on());
  EXPECT_EQ(out.only<Reserve>().walk.greedy_hops, 1u);
  EXPECT_TRUE(out.only<Reserve>().walk.last_greedy);
}

TEST_F(WalkTest, ReturnsToTheBestNodeMetWhenNoHopIsLeft) {
  reserve.walk.hops_left = 0;
  reserve.best_node = {7};
  reserve.best = node(7).address;
  ASSERT_TRUE(pass_on());
  EXPECT_EQ(out.sent[0].first, node(7));
  EXPECT_TRUE(out.only<Reserve>().settled);
}

TEST_F(WalkTest, EndsHereIfThisIsTheBestOrTheOnlyNodeMet) {
  reserve.walk.hops_left = 0;
  EXPECT_FALSE(pass_on());
  reserve.best_node = {99};
  EXPECT_FALSE(pass_on());
  EXPECT_TRUE(out.sent.empty());
}

TEST_F(WalkTest, OneThatHasSettledStays) {
  reserve.settled = true;
  reserve.best_node = {7};
  EXPECT_FALSE(pass_on());
}

TEST_F(WalkTest, EndsWhenItCanRememberNoMoreNodes) {
  while (reserve.walk.visited.try_push(1000 + reserve.walk.visited.size())) continue;
  EXPECT_FALSE(pass_on());
}

TEST(WalkReport, IsConsumedByTheFirstAnswer) {
  sched::Walk walk;
  walk.greedy_hops = 2;
  walk.last_greedy = true;
  sched::Walk copy = walk;
  EXPECT_EQ(sched::consume_walk_report(copy, false).greedy_hits, 0u) << "it started nothing";
  const sched::Walk report = sched::consume_walk_report(walk, true);
  EXPECT_EQ(report.greedy_hops, 2u);
  EXPECT_EQ(report.greedy_hits, 1u);
  const sched::Walk second = sched::consume_walk_report(walk, true);
  EXPECT_EQ(second.greedy_hops, 0u);
  EXPECT_EQ(second.greedy_hits, 0u);
}

}  // namespace
}  // namespace dunlin::test
