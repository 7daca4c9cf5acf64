// SPDX-License-Identifier: MIT
#include "node/agent/tracking/gone_watch.h"
#include "node/control/control_handlers.h"
#include "sched/peer_view.h"
#include "tests/unit/node/control/client_test.h"

// Nodes that left without a good-bye: how they are noted, listed and forgotten.
namespace dunlin::node {
namespace {

constexpr std::int64_t kForgetWall = 1'700'000'000'000'000'000;

class ControlForget : public ClientTest {
 protected:
  void SetUp() override {
    agent.ask_for_facts();
    for (const auto& [id, name] : {std::pair(2, "heron"), std::pair(3, "osprey")}) {
      agent.hear_of(static_cast<std::uint64_t>(id), 4000);
      agent.hear_facts(static_cast<std::uint64_t>(id), name, 4000);
    }
  }
  const sched::Directory& directory() const { return sched::directory_of(agent.self); }
  void look() {
    agent.time += GoneWatch::kPeriod;
    watch.look(directory(), {.now = agent.time, .wall_ns = kForgetWall}, agent.gone);
  }
  /// A copy of the directory in which that node is down.
  sched::Directory with_down(std::uint64_t id, bool farewell) const {
    sched::Directory copy = directory();
    copy.on_down(agent.time, {id}, farewell);
    return copy;
  }
  void look_at(const sched::Directory& seen) {
    agent.time += GoneWatch::kPeriod;
    watch.look(seen, {.now = agent.time, .wall_ns = kForgetWall}, agent.gone);
  }
  std::vector<std::string> listed(const Json& request, const char* list) {
    agent.time += std::chrono::seconds(1);  // Whoever asks at the same moment shares an answer.
    Json reply = ask("nodes", request);
    if (reply == nullptr) {
      agent.time = session.due();
      reply = advance();
    }
    std::vector<std::string> names;
    for (const Json& node : reply["ok"][list]) names.push_back(node["name"]);
    return names;
  }

  GoneWatch watch;
};

TEST_F(ControlForget, OnlyThoseAreNotedThatLeftWithoutAGoodBye) {
  look();
  EXPECT_TRUE(agent.gone.nodes.empty());
  const auto heard = agent.time;
  look_at(with_down(3, true));
  EXPECT_TRUE(agent.gone.nodes.empty()) << "it said good-bye";
  look_at(with_down(2, false));
  ASSERT_EQ(agent.gone.nodes.size(), 1u);
  const GoneNode& heron = agent.gone.nodes.at({2});
  EXPECT_EQ(heron.name, "heron");
  EXPECT_EQ(heron.address, address_of(2));
  EXPECT_LT(heron.heard_at, kForgetWall - (agent.time - heard).count());
  look_at(with_down(2, true));
  EXPECT_TRUE(agent.gone.nodes.empty()) << "it said good-bye after all";
  look_at(with_down(2, false));
  look();
  EXPECT_TRUE(agent.gone.nodes.empty()) << "it is back";
}

TEST_F(ControlForget, AllListsThoseThatTheDirectoryHasNoMore) {
  agent.gone.nodes[{9}] = {.name = "gannet", .address = address_of(9), .heard_at = kForgetWall};
  agent.gone.nodes[{8}] = {.name = "knot", .heard_at = kForgetWall, .forgotten = true};
  agent.gone.nodes[{7}] = {.heard_at = kForgetWall};
  agent.gone.nodes[{2}] = {.name = "heron", .heard_at = kForgetWall};
  EXPECT_THAT(listed(Json::object(), "gone"), ::testing::IsEmpty());
  EXPECT_THAT(listed({{"all", true}}, "gone"), ::testing::ElementsAre("0000000000000007", "gannet"))
      << "the list itself has the heron";
}

TEST_F(ControlForget, WhatIsForgottenIsListedNoMore) {
  agent.gone.nodes[{9}] = {.name = "gannet", .heard_at = kForgetWall};
  agent.gone.nodes[{10}] = {.name = "gannet", .heard_at = kForgetWall};
  EXPECT_EQ(error_of(ask("node_forget")), "usage: 'node' must be its name or id");
  EXPECT_EQ(error_of(ask("node_forget", {{"node", "knot"}})),
      "not_found: no node 'knot' is gone; `dunlin nodes --all` lists those that are");
  EXPECT_THAT(error_of(ask("node_forget", {{"node", "heron"}})),
      ::testing::HasSubstr("only a node that is down can be forgotten"));
  EXPECT_THAT(error_of(ask("node_forget", {{"node", "gannet"}})),
      ::testing::HasSubstr("2 nodes that are gone are called 'gannet'"));
  EXPECT_EQ(ask("node_forget", {{"node", "0000000000000009"}})["ok"]["name"], "gannet");
  EXPECT_TRUE(agent.gone.nodes.at({9}).forgotten);
  EXPECT_THAT(listed({{"all", true}}, "gone"), ::testing::ElementsAre("gannet")) << "the other one";
}

TEST_F(ControlForget, AForgottenNodeThatIsDownIsInNoListUntilItIsHeard) {
  agent.gone.nodes[{2}] = {.name = "heron", .heard_at = kForgetWall, .forgotten = true};
  EXPECT_THAT(listed(Json::object(), "nodes"), ::testing::Contains("heron")) << "it is up";
  agent.hear_farewell(2);
  EXPECT_THAT(listed(Json::object(), "nodes"), ::testing::Not(::testing::Contains("heron")));
}

}  // namespace
}  // namespace dunlin::node
