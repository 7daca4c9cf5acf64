// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// When the tasks of a real job began and ended.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class TimelineLive : public AgentWorld {
 protected:
  static std::uint64_t sum(const Json& group, const char* series) {
    std::uint64_t all = 0;
    for (const Json& count : group["bins"][series]) all += count.get<std::uint64_t>();
    return all;
  }
};

TEST_F(TimelineLive, HasEachAttemptOfAJobAtAnyAgent) {
  TestAgent& home_agent = add("a");
  TestAgent& other = add("b");
  wait_for_nodes(home_agent, 2);
  wait_for_nodes(other, 2);
  // Task 1 fails once; it leaves a mark for its second attempt.
  const std::string mark = home + "/mark";
  const auto job = submit(home_agent,
      "test %{TASK_INDEX} != 1 && exit 0; test -e " + mark + " && exit 0; touch " + mark +
          "; exit 3",
      3, {{"retries", 2}});
  EXPECT_EQ(finish(home_agent, job)["done"], 3);
  const Json told = other.client().ok(request("timeline", {{"job", "a." + std::to_string(job)}}));
  EXPECT_EQ(told["finished"], true);
  EXPECT_EQ(told["state"], "done");
  ASSERT_EQ(told["groups"].size(), 1u);
  const Json& group = told["groups"][0];
  EXPECT_EQ(sum(group, "started"), 4u);
  EXPECT_EQ(sum(group, "done"), 3u);
  EXPECT_EQ(sum(group, "failed"), 1u);
  EXPECT_EQ(group["running"], 0);
  ASSERT_EQ(told["tasks"].size(), 3u);
  ASSERT_EQ(told["tasks"][1]["attempts"].size(), 2u);
  EXPECT_EQ(told["tasks"][1]["attempts"][0]["how"], "exited");
  EXPECT_EQ(told["tasks"][1]["attempts"][1]["how"], "done");
  const Json none =
      other.client().ok(request("timeline", {{"job", "a." + std::to_string(job)}, {"bars", 2}}));
  EXPECT_TRUE(none["tasks"].empty()) << "three are more than two";

  const ProgramRun text =
      run_dunlin(other.socket(), {"job", "a." + std::to_string(job), "--timeline"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("task 1, attempt 1 on "));
  const ProgramRun json =
      run_dunlin(other.socket(), {"job", "a." + std::to_string(job), "--timeline", "--json"});
  EXPECT_EQ(Json::parse(json.out)["schema"], "dunlin.timeline/1");
}

// More tasks than a turn of the loop reads.
TEST_F(TimelineLive, AJobOfManyTasksIsCountedWhole) {
  TestAgent& agent = add("a", {"--cpus=4"});
  wait_for_nodes(agent, 1);
  const auto job = submit(agent, "exit 0", 600);
  EXPECT_EQ(finish(agent, job)["done"], 600);
  const Json told = agent.client().ok(request("timeline", {{"number", job}, {"bins", 50}}));
  EXPECT_EQ(sum(told["groups"][0], "started"), 600u);
  EXPECT_EQ(sum(told["groups"][0], "done"), 600u);
  EXPECT_LE(told["bins"].get<int>(), 50);
  EXPECT_TRUE(told["tasks"].empty());
}

}  // namespace
}  // namespace dunlin::node
