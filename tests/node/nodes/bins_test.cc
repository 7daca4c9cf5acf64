// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// Tasks of a real job and real nodes, counted.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

using BinsLive = AgentWorld;

TEST_F(BinsLive, TellOfAJobAtAnyAgentWhichTasksStandWhere) {
  TestAgent& home_agent = add("a", {"--cpus=4"});
  TestAgent& other = add("b", {"--cpus=4"});
  wait_for_nodes(home_agent, 2);
  wait_for_nodes(other, 2);
  const auto job = submit(home_agent, "test %{TASK_INDEX} != 37", 100);
  EXPECT_EQ(finish(home_agent, job)["failed"], 1);
  const std::string name = "a." + std::to_string(job);
  const Json told = other.client().ok(request("task_bins", {{"job", name}, {"bins", 10}}));
  EXPECT_EQ(told["finished"], true);
  EXPECT_EQ(told["width"], 10);
  EXPECT_EQ(told["counts"]["done"], 99);
  ASSERT_EQ(told["bins"].size(), 10u);
  EXPECT_EQ(told["bins"][3]["first"], 30);
  EXPECT_EQ(told["bins"][3]["last"], 39);
  EXPECT_EQ(told["bins"][3]["counts"]["failed"], 1);
  EXPECT_EQ(told["bins"][3]["counts"]["done"], 9);
  EXPECT_EQ(told["bins"][4]["counts"]["done"], 10);

  const ProgramRun text = run_dunlin(other.socket(), {"job", name, "--bins"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("FAILED"));
  EXPECT_THAT(text.out, HasSubstr("all"));
  const ProgramRun json = run_dunlin(other.socket(), {"job", name, "--bins", "--json"});
  EXPECT_EQ(Json::parse(json.out)["schema"], "dunlin.task_bins/1");
}

// The list and the counts are made of the same knowledge.
TEST_F(BinsLive, CountNodesAsTheListHasThem) {
  TestAgent& agent = add("a", {"--cpus=4"});
  add("b", {"--cpus=2"});
  wait_for_nodes(agent, 2);
  const Json list = agent.client().ok(request("nodes"))["nodes"];
  const Json told = agent.client().ok(request("node_bins"));
  EXPECT_EQ(told["total"], list.size());
  EXPECT_EQ(told["totals"]["up"], 2);
  EXPECT_EQ(told["capacity"]["cpu_milli"], 6000);
  int placed = 0;
  for (const Json& cell : told["cells"]) placed += cell["nodes"]["up"].get<int>();
  EXPECT_EQ(placed, 2);
}

}  // namespace
}  // namespace dunlin::node
