// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/demand_class.h"

#include "sched/resources.h"
#include "tests/support/known_nodes.h"

namespace dunlin::sched {
namespace {

TEST(DemandClassTest, IsRelativeToATypicalNode) {
  const Resources node{.cpu = 8000, .memory = 1000, .custom = {}};
  const auto of = [&](std::uint32_t cpu, std::uint32_t memory) {
    return classify({.cpu = cpu, .memory = memory, .custom = {}}, false, node);
  };
  EXPECT_EQ(of(2000, 10), DemandClass::small);
  EXPECT_EQ(of(2001, 10), DemandClass::medium);
  EXPECT_EQ(of(1000, 900), DemandClass::large) << "the dominant resource counts";
  EXPECT_EQ(classify({}, true, node), DemandClass::special);
  EXPECT_EQ(
      classify({.cpu = 1, .memory = 1, .custom = {{"gpu", 1}}}, false, node), DemandClass::special);
}

TEST(DemandClassTest, CountsRatesThatNodesDeclare) {
  Resources node{.cpu = 8000, .memory = 1000, .custom = {}};
  Resources demand{.cpu = 1000, .memory = 10, .custom = {}};
  demand.disk_read = 900;
  EXPECT_EQ(classify(demand, false, node), DemandClass::small);
  node.disk_read = 1000;
  EXPECT_EQ(classify(demand, false, node), DemandClass::large);
}

using TypicalNode = test::KnownNodes;

TEST_F(TypicalNode, HasTheRatesOfThoseThatDeclareThem) {
  node(1, 0);
  node(2, 0);
  with_net_in(1024, 0);
  node(3, 0);
  with_net_in(512, 0);
  EXPECT_EQ(typical_node(known).net_in, 768u);
  EXPECT_EQ(typical_node(known).net_out, 0u);
}

TEST_F(TypicalNode, IsTheMeanOfAllThatAreKnown) {
  EXPECT_EQ(typical_node(known), Resources{});
  node(1, 0, 2000);
  node(2, 0, 6000);
  EXPECT_EQ(typical_node(known).cpu, 4000u);
  EXPECT_EQ(typical_node(known).memory, 1000u);
}

}  // namespace
}  // namespace dunlin::sched
