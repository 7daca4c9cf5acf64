// SPDX-License-Identifier: MIT
#include "sched/federation/partition.h"

#include <gmock/gmock.h>

#include "sched/resources.h"
#include "tests/unit/sched/federation/rows.h"

namespace dunlin::sched::federation {
namespace {

using namespace rows;

class PartitionTest : public ::testing::Test {
 protected:
  KindNumber number(std::initializer_list<std::string_view> attributes) {
    return expressions_.kinds().number_of(kind(attributes));
  }
  void put(const Row& row) { partition_.put(row, expressions_); }
  /// The node that a match finds; 0: none.
  std::uint64_t match(std::uint32_t cpu,
      std::initializer_list<std::string_view> constraints = {},
      Pick pick = Pick::first) {
    return match(Resources{.cpu = cpu}, constraints, pick);
  }
  std::uint64_t match(
      const Resources& demand, std::initializer_list<std::string_view> constraints, Pick pick) {
    Wish wish{.demand = demand};
    for (const std::string_view text : constraints) {
      wish.constraints.push_back(expressions_.handle(constraint(text)));
    }
    const Row* row = partition_.match(wish, pick, expressions_, rng_, search_);
    return row == nullptr ? 0 : row->node.value;
  }

  Expressions expressions_;
  Partition partition_;
  Rng rng_{1};
  Search search_;
};

TEST_F(PartitionTest, EmptyMatchesNothing) {
  EXPECT_EQ(match(0), 0);
  EXPECT_EQ(match(1, {"ssd"}, Pick::random), 0);
}

TEST_F(PartitionTest, CountsTheRoomOfNodesThatTakeTasks) {
  put(row(1, number({}), 4000));
  put(row(2, number({}), 1000));
  EXPECT_EQ(partition_.room(), 5000u);
  Row drains = row(1, number({}), 3000);
  put(drains);
  EXPECT_EQ(partition_.room(), 4000u);
  drains.draining = true;
  put(drains);
  EXPECT_EQ(partition_.room(), 1000u);
  partition_.remove({1});
  partition_.remove({2});
  EXPECT_EQ(partition_.room(), 0u);
}

TEST_F(PartitionTest, ANodeMustHaveRoomInEveryResource) {
  put(row(1, number({}), 4000, 100));
  put(row(2, number({}), 100, 8192));
  Row three = row(3, number({}), 2000, 1000);
  set_amount(three.free, "gpu", 1);
  put(three);
  EXPECT_EQ(match({.cpu = 1000, .memory = 1000}, {}, Pick::first), 3);
  EXPECT_EQ(match({.cpu = 1000, .memory = 1001}, {}, Pick::first), 0);
  Resources gpus{.cpu = 100};
  set_amount(gpus, "gpu", 1);
  EXPECT_EQ(match(gpus, {}, Pick::first), 3);
  set_amount(gpus, "gpu", 2);
  EXPECT_EQ(match(gpus, {}, Pick::first), 0);
}

TEST_F(PartitionTest, ComparisonsAreExact) {
  put(row(1, number({"kernel=5.10"}), 1000));
  put(row(2, number({"kernel=6.1", "rack=7"}), 1000));
  EXPECT_EQ(match(1, {"kernel>=6.1"}), 2);
  EXPECT_EQ(match(1, {"kernel<6"}), 1);
  EXPECT_EQ(match(1, {"kernel>=5", "rack!=7"}), 1);
  EXPECT_EQ(match(1, {"kernel>6.1"}), 0);
  EXPECT_EQ(match(1, {"rack"}), 2);
}

TEST_F(PartitionTest, AVectorFollowsWhatComesAndGoesAndChanges) {
  EXPECT_EQ(match(1, {"ssd"}), 0);  // The vector is made, and kept from here on.
  for (std::uint64_t node = 1; node <= 130; ++node) put(row(node, number({}), 1000));
  EXPECT_EQ(match(1, {"ssd"}), 0);
  put(row(130, number({"ssd=yes"}), 1000));
  EXPECT_EQ(match(1, {"ssd"}), 130);
  partition_.remove(PeerId{1});  // The last row moves to its slot.
  EXPECT_EQ(match(1, {"ssd"}), 130);
  EXPECT_EQ(match(1), 130);
  partition_.remove(PeerId{130});
  EXPECT_EQ(match(1, {"ssd"}), 0);
  EXPECT_EQ(partition_.size(), 128);
  EXPECT_EQ(partition_.find(PeerId{130}), nullptr);
}

TEST_F(PartitionTest, NodesThatDrainOrHaveNoCpuAreNotLookedAt) {
  put(row(1, number({}), 0));
  Row draining = row(2, number({}), 1000);
  draining.draining = true;
  put(draining);
  EXPECT_EQ(match(0), 0);
  EXPECT_EQ(search_.rows, 0);
}

TEST_F(PartitionTest, BestIsTheTightestFit) {
  put(row(1, number({}), 4000, 8192));
  put(row(2, number({}), 1500, 2048));
  put(row(3, number({}), 1500, 8192));
  EXPECT_EQ(match({.cpu = 1000, .memory = 2048}, {}, Pick::best), 2);
  EXPECT_EQ(match({.cpu = 1000, .memory = 4096}, {}, Pick::best), 3);
  EXPECT_EQ(match({.cpu = 2000, .memory = 1}, {}, Pick::best), 1);
}

TEST_F(PartitionTest, RandomTakesEachNodeThatFits) {
  for (std::uint64_t node = 1; node <= 200; ++node) {
    put(row(node, number({}), node % 50 == 0 ? 1000 : 10));
  }
  std::map<std::uint64_t, int> taken;
  for (int i = 0; i < 400; ++i) ++taken[match(1000, {}, Pick::random)];
  EXPECT_THAT(taken, ::testing::SizeIs(4));
  for (const auto& [node, times] : taken) EXPECT_GT(times, 50) << node;
}

TEST_F(PartitionTest, AnExpressionThatWasReplacedIsMadeAnew) {
  put(row(1, number({"rack=1"}), 1000));
  EXPECT_EQ(match(1, {"rack=1"}), 1);
  for (std::size_t i = 0; i < Expressions::kMax; ++i) {
    expressions_.handle(constraint("other=" + std::to_string(i)));
  }
  put(row(2, number({"rack=2"}), 1000));
  EXPECT_EQ(match(1, {"rack=2"}), 2);
  EXPECT_EQ(match(1, {"rack=1"}), 1);
  EXPECT_EQ(expressions_.size(), Expressions::kMax);
}

TEST(FederationKinds, EqualKindsHaveOneNumber) {
  Kinds kinds;
  EXPECT_EQ(kinds.number_of(kind({"a=1"})), 0);
  EXPECT_EQ(kinds.number_of(kind({"a=2"})), 1);
  EXPECT_EQ(kinds.number_of(kind({"a=1"})), 0);
  NodeKind larger = kind({"a=1"});
  larger.total.cpu = 8000;
  EXPECT_EQ(kinds.number_of(larger), 2);
  EXPECT_EQ(kinds.at(1), kind({"a=2"}));
}

/// All rows that fit, one by one: what the vectors must agree with.
std::set<std::uint64_t> fitting(const Partition& partition,
    const Kinds& kinds,
    const Resources& demand,
    std::span<const Constraint> constraints) {
  std::set<std::uint64_t> found;
  for (const Row& row : partition.rows()) {
    if (!row.draining && row.free.cpu > 0 && fits(demand, row.free) &&
        satisfies_all(kinds.at(row.kind).attributes, constraints)) {
      found.insert(row.node.value);
    }
  }
  return found;
}

TEST(PartitionProperty, VectorsAgreeWithALookAtEachRow) {
  Rng rng(7);
  for (int world = 0; world < 10; ++world) {
    Expressions expressions;
    Partition partition;
    Search search;
    for (int step = 0; step < 300; ++step) {
      const std::uint64_t node = 1 + rng.below(150);
      if (rng.chance(0.2)) partition.remove(PeerId{node});
      NodeKind drawn = kind({});
      drawn.attributes.push_back({"rack", std::to_string(rng.below(4))});
      if (rng.chance(0.5))
        drawn.attributes.push_back({"kernel", "6." + std::to_string(rng.below(9))});
      Row put = row(node, expressions.kinds().number_of(drawn), 500 * rng.below(5));
      put.draining = rng.chance(0.1);
      partition.put(put, expressions);

      // More expressions than are kept, so that they replace each other.
      std::vector<Constraint> constraints = {constraint("rack!=" + std::to_string(rng.below(300)))};
      if (rng.chance(0.5))
        constraints.push_back(constraint("kernel>=6." + std::to_string(rng.below(9))));
      const Resources demand{.cpu = 500 * rng.below(5)};
      Wish wish{.demand = demand};
      for (const Constraint& each : constraints)
        wish.constraints.push_back(expressions.handle(each));
      const auto expected = fitting(partition, expressions.kinds(), demand, constraints);
      for (const Pick pick : {Pick::first, Pick::random, Pick::best}) {
        const Row* found = partition.match(wish, pick, expressions, rng, search);
        ASSERT_EQ(found == nullptr, expected.empty());
        if (found != nullptr) {
          ASSERT_TRUE(expected.contains(found->node.value));
        }
      }
    }
  }
}

}  // namespace
}  // namespace dunlin::sched::federation
