// SPDX-License-Identifier: MIT
#include <csignal>
#include <cstdio>
#include <fstream>
#include <gmock/gmock.h>
#include <sstream>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// What real agents tell of what happens.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class EventsTest : public AgentWorld {
 protected:
  std::string text_of(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
};

TEST_F(EventsTest, AreFollowedFromAnyAgentUntilItEnds) {
  for (const char* const name : {"n0", "n1"}) add(name);
  for (const auto& agent : agents) agent->wait_until_up();
  for (const auto& agent : agents) wait_for_nodes(*agent, 2);
  EXPECT_TRUE(eventually([&] {
    return agents[1]->client().call(request("find", {{"name", "n0.1"}})).contains("ok");
  }));
  // The shell waits for the second line, and ends the program that would go on.
  const std::string followed = home + "/followed";
  const std::string line = "timeout 60 " DUNLIN_PROGRAM " events -f --json --node n0 --address " +
      agents[1]->socket() + " --event 'job_*' > " + followed + " & echo $!";
  std::FILE* const pipe = ::popen(line.c_str(), "r");
  int pid = 0;
  ASSERT_EQ(std::fscanf(pipe, "%d", &pid), 1);
  // Nothing tells when it has begun to follow: jobs are submitted until one is seen.
  EXPECT_TRUE(eventually([&] {
    finish(*agents[0], submit(*agents[0], "true", 1));
    return text_of(followed).find("job_finished") != std::string::npos;
  }));
  ::kill(pid, SIGTERM);
  ::pclose(pipe);
  std::istringstream lines(text_of(followed));
  std::string first;
  std::getline(lines, first);
  const Json event = Json::parse(first);
  EXPECT_EQ(event["schema"], "dunlin.event/1");
  EXPECT_TRUE(event.contains("at"));
  EXPECT_THAT(event["event"].get<std::string>(), HasSubstr("job_"));
}

TEST_F(EventsTest, ThePastIsPrintedForPeopleAndPrograms) {
  auto& agent = add("a");
  agent.wait_until_up();
  finish(agent, submit(agent, "true", 2));
  const auto told = run_dunlin(agent.socket(), {"events", "--event", "job_finished"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.out, HasSubstr(" job_finished job="));
  EXPECT_THAT(told.out, HasSubstr(".1 succeeded=2 failed=0 cancelled=0\n"));
  const auto json = run_dunlin(agent.socket(), {"events", "--event", "job_finished", "--json"});
  EXPECT_EQ(Json::parse(json.out)["schema"], "dunlin.events/1");
  const auto wrong = run_dunlin(agent.socket(), {"events", "--event", "done"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("'done' is no event"));
}

}  // namespace
}  // namespace dunlin::node
