// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// What real agents remember of jobs that ended, and how people ask for it.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class JobsHistory : public AgentWorld {
 protected:
  /// `dunlin jobs --here --json` and so on.
  static Json jobs(const TestAgent& at, std::vector<std::string> words) {
    words.insert(words.begin(), {"jobs", "--here", "--json"});
    const ProgramRun run = run_dunlin(at.socket(), words);
    EXPECT_EQ(run.status, 0) << run.err;
    return Json::parse(run.out);
  }
};

TEST_F(JobsHistory, AnEndIsToldAsItWasAfterARestart) {
  TestAgent& agent = add("a");
  wait_for_nodes(agent, 1);
  const std::uint32_t bad = submit(agent, "exit 3", 2);
  finish(agent, bad);
  const std::uint32_t goes_on = submit(agent, "sleep 300", 1);
  const auto told = [&] {
    return agent.client().call(request("jobs", {{"ids", {std::to_string(bad)}}}))["ok"]["jobs"][0];
  };
  const Json before = told();
  EXPECT_EQ(before["exit"], 3);
  EXPECT_EQ(before["worst_outcome"], "exited");
  EXPECT_GE(before["started_at_ns"], before["submitted_at_ns"]);
  EXPECT_GE(before["ended_at_ns"], before["started_at_ns"]);
  agent.kill9();
  agent.start();
  agent.wait_until_up();
  const Json after = told();
  for (const char* const member : {"exit", "worst_outcome", "ended_at_ns", "counts"}) {
    EXPECT_EQ(after[member], before[member]) << member;
  }

  const Json ended = jobs(agent, {"--ended-since", "1h"});
  ASSERT_EQ(ended["jobs"].size(), 1u) << "job " << goes_on << " has not ended";
  EXPECT_EQ(ended["jobs"][0]["number"], bad);
  const ProgramRun wide =
      run_dunlin(agent.socket(), {"jobs", "--here", "--ended-since", "1h", "--wide"});
  EXPECT_THAT(wide.out, HasSubstr("EXIT  WORST"));
  EXPECT_EQ(run_dunlin(agent.socket(), {"jobs", "--ended-since", "soon"}).status, 2);
}

TEST_F(JobsHistory, PagesGoOnWhereTheLastOneEnded) {
  TestAgent& agent = add("a");
  wait_for_nodes(agent, 1);
  std::vector<std::uint32_t> submitted;
  for (int i = 0; i < 5; ++i) submitted.push_back(submit(agent, "sleep 300", 1));
  std::vector<std::uint32_t> listed;
  std::vector<std::string> words = {"--sort", "number", "--limit", "2"};
  for (int page = 0; page < 3; ++page) {
    const Json answer = jobs(agent, words);
    for (const Json& job : answer["jobs"]) listed.push_back(job["number"]);
    EXPECT_EQ(answer["next"].is_null(), page == 2);
    if (page < 2) words = {"--sort", "number", "--limit", "2", "--after", answer["next"]};
  }
  EXPECT_EQ(listed, submitted);
}

}  // namespace
}  // namespace dunlin::node
