// SPDX-License-Identifier: MIT
#include "node/control/control_handlers.h"
#include "node/store/results.h"
#include "tests/unit/node/control/client_test.h"

// The verb `node`.
namespace dunlin::node {
namespace {

using ControlNode = ClientTest;

TEST_F(ControlNode, TheNodeThatIsAskedAnswersAtOnce) {
  agent.ask_for_facts();
  const Json told = ask("node", {{"node", "merlin"}})["ok"];
  EXPECT_EQ(told["self"], "0000000000000001");
  EXPECT_EQ(told["here"], true);
  EXPECT_EQ(told["incarnation"], 1);
  EXPECT_EQ(told["node"]["name"], "merlin");
  EXPECT_EQ(told["node"]["free"]["cpu_milli"], 4000);
  EXPECT_EQ(told["since_at_ns"], nullptr);
  EXPECT_EQ(told["gone"], nullptr);
  EXPECT_TRUE(agent.scheduling.sent.empty()) << "nobody else was asked";
}

TEST_F(ControlNode, AnotherOneIsAskedAloneAndWaitedForALittle) {
  agent.hear_of(2, 8000);
  agent.hear_of(3, 8000);
  EXPECT_EQ(ask("node", {{"node", "0000000000000002"}}), nullptr);
  ASSERT_EQ(agent.scheduling.sent.size(), 1u);
  EXPECT_EQ(agent.scheduling.sent[0].first.id.value, 2u);
  EXPECT_TRUE(std::holds_alternative<sched::FactsRequest>(agent.scheduling.sent[0].second));
  agent.hear_facts(2, "osprey", 8000);
  const Json told = advance()["ok"];
  EXPECT_EQ(told["here"], false);
  EXPECT_EQ(told["node"]["name"], "osprey");
  EXPECT_EQ(told["node"]["free"]["cpu_milli"], 1000);
}

TEST_F(ControlNode, OneThatIsSilentIsToldAsItIsKnown) {
  agent.hear_of(2, 8000);
  EXPECT_EQ(ask("node", {{"node", "0000000000000002"}}), nullptr);
  agent.time = session.due();
  const Json told = advance()["ok"];
  EXPECT_EQ(told["node"]["facts"], false);
  EXPECT_EQ(told["node"]["address"], overlay::to_string(address_of(2)));
  EXPECT_EQ(told["machine"], "");
}

// A user that looks at a node that is down wants to know since when, and not to wait.
TEST_F(ControlNode, OneThatLeftIsToldAtOnceWithItsTime) {
  agent.hear_of(2, 8000);
  agent.hear_facts(2, "osprey", 8000);
  agent.hear_farewell(2);
  agent.time += std::chrono::seconds(30);
  const Json told = ask("node", {{"node", "osprey"}})["ok"];
  EXPECT_EQ(told["node"]["state"], "down");
  EXPECT_EQ(told["farewell"], true);
  ASSERT_TRUE(told["since_at_ns"].is_number());
}

TEST_F(ControlNode, OneThatIsGoneForLongHasItsLastAddress) {
  agent.gone.nodes[{9}] = {.name = "gannet", .address = address_of(9), .heard_at = 12};
  agent.gone.nodes[{8}] = {.name = "knot", .heard_at = 1, .forgotten = true};
  const Json told = ask("node", {{"node", "gannet"}})["ok"];
  EXPECT_EQ(told["node"], nullptr);
  EXPECT_EQ(told["gone"]["address"], overlay::to_string(address_of(9)));
  EXPECT_EQ(told["since_at_ns"], 12);
  EXPECT_EQ(error_of(ask("node", {{"node", "knot"}})).substr(0, 10), "not_found:");
}

TEST_F(ControlNode, OneThatNobodyKnowsIsAnErrorWithTheNearestName) {
  EXPECT_EQ(error_of(ask("node")), "usage: 'node' must be the name or the id of a node");
  EXPECT_EQ(error_of(ask("node", {{"node", "marlin"}})),
      "not_found: no node 'marlin' is known here; did you mean merlin? (`dunlin nodes` lists those "
      "that are)");
}

}  // namespace
}  // namespace dunlin::node
