// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/batch_probing.h"

#include "tests/support/placing.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class BatchProbing : public test::Placing {
 protected:
  std::optional<Batch> fill_up() {
    const Surroundings around(known);
    return sched::fill_up(params, need(), {.around = around, .others = {}}, walk, rng);
  }
  std::optional<Batch> look_elsewhere() {
    const Surroundings around(known);
    return sched::look_elsewhere(params, need(), {.around = around, .others = {}}, walk);
  }
  /// Reservations sent at once for so many tasks.
  std::size_t sent_for(std::uint32_t tasks) {
    waiting = tasks;
    const auto batch = fill_up();
    return batch ? batch->hops.size() : 0;
  }

  Walk walk{.rule = HopRule::random, .hops_left = 3};
};

TEST_F(BatchProbing, SendsTheRatioForEachTaskToNodesOfTheirOwn) {
  nodes(40, 4000);
  waiting = 10;
  const auto batch = fill_up();
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->hops.size(), 20u);
  EXPECT_EQ(targets(*batch).size(), 20u);
  EXPECT_EQ(batch->walk, walk);
}

TEST_F(BatchProbing, SendsWhatIsMissing) {
  nodes(40, 4000);
  probe(1, true);
  probe(2, false);
  EXPECT_EQ(sent_for(1), 0u);
  EXPECT_EQ(sent_for(2), 2u);
}

TEST_F(BatchProbing, SendsMoreWhileLittleIsFreeWithinBounds) {
  nodes(40, 4000 / 3);
  EXPECT_EQ(sent_for(10), 31u) << "where one CPU in a little over three is free";
  for (auto& node : known) node.peer.cpu_free = 0;
  EXPECT_EQ(sent_for(10), 40u) << "probe_ratio_full";
  params.probes_max = 7;
  EXPECT_EQ(sent_for(10), 7u);
}

TEST_F(BatchProbing, SendsMoreWhileLittleIsFreeOfARateThatTasksDemand) {
  for (std::uint64_t id = 1; id <= 40; ++id) {
    node(id, 4000);
    with_net_in(1024, 1024 / 3);
  }
  EXPECT_EQ(sent_for(10), 20u) << "a job that needs no network";
  demand.net_in = 1;
  EXPECT_EQ(sent_for(10), 30u);
}

TEST_F(BatchProbing, AJobThatHadToQueueIsMadeKnownToMoreNodes) {
  nodes(40, 4000);
  crowded = true;
  EXPECT_EQ(sent_for(1), params.probes_crowded);
}

TEST_F(BatchProbing, ASmallClusterGetsNoSecondReservation) {
  nodes(15, 4000);
  EXPECT_EQ(sent_for(100), 15u);
  node(16, 4000);
  EXPECT_EQ(sent_for(100), 200u) << "there may be more nodes than are known";
}

TEST_F(BatchProbing, WithoutNodesThereIsNothingToSend) {
  EXPECT_FALSE(fill_up());
}

TEST_F(BatchProbing, RestsForThePeriodOrAsLongAsTheGroupPauses) {
  nodes(20, 4000);
  EXPECT_EQ(fill_up()->rest, params.reprobe_period);
  pause = 3s;
  EXPECT_EQ(fill_up()->rest, 3s);
}

TEST_F(BatchProbing, LooksElsewhereOnlyOnceAllReservationsWait) {
  nodes(3, 4000);
  probe(1, true);
  probe(2, false);
  EXPECT_FALSE(look_elsewhere());
  out[1].queued = true;
  const auto batch = look_elsewhere();
  ASSERT_TRUE(batch);
  EXPECT_EQ(targets(*batch), (std::set<std::uint64_t>{3})) << "one task, and no holder again";
  EXPECT_TRUE(batch->hops[0].greedy);
}

TEST_F(BatchProbing, LooksElsewhereOnlyWhereThereIsRoom) {
  nodes(3, 999);
  probe(1, true);
  const auto batch = look_elsewhere();
  ASSERT_TRUE(batch) << "it looked, and rests now";
  EXPECT_TRUE(batch->hops.empty());
  EXPECT_EQ(batch->rest, params.reprobe_period);
}

TEST_F(BatchProbing, LooksElsewhereWithinBounds) {
  nodes(40, 4000);
  probe(1, true);
  waiting = 100;
  EXPECT_EQ(look_elsewhere()->hops.size(), 16u);
  params.probes_max = 2;
  EXPECT_EQ(look_elsewhere()->hops.size(), 3u) << "four of them may be out";
}

}  // namespace
}  // namespace dunlin::sched
