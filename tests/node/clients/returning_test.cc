// SPDX-License-Identifier: MIT
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <thread>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// Commands that wait while their agent is upgraded.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReturningClients : public AgentWorld {
 protected:
  /// A command that runs beside the test. Of its agents the first is none.
  std::future<ProgramRun> begin(std::vector<std::string> words) {
    return std::async(std::launch::async, [this, words = std::move(words)] {
      return run_dunlin("/nowhere/agent.sock," + agents[0]->socket(), words);
    });
  }
  /// How many the agent has, `asker` among them.
  static std::int64_t clients(TestClient& asker) {
    std::int64_t count = 0;
    const Json status = asker.ok(request("status", {{"users", true}}));
    for (const Json& user : status["users"]) count += user["clients"].get<std::int64_t>();
    return count;
  }
};

TEST_F(ReturningClients, GoOnWhereTheyWereWhenTheirAgentIsBack) {
  TestAgent& agent = add("a", {"--worker.reattach_within=60s"});
  wait_for_nodes(agent, 1);
  // One for all questions: those that were closed a moment ago may be counted yet.
  TestClient asker = agent.client();
  const std::string started = home + "/started";
  const std::string go = home + "/go";
  auto run = begin({"run", "--stdin", "none", "--", "sh", "-c",
      "echo first; touch " + started + "; while ! test -e " + go +
          "; do sleep 0.05; done; echo second; exit 4"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(started); }));
  const Json job = asker.ok(request("jobs"))["jobs"][0]["number"];
  auto wait = begin({"wait", job.dump()});
  auto logs = begin({"logs", "-f", job.dump()});
  EXPECT_TRUE(eventually([&] { return clients(asker) >= 4; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));  // They ask for what they wait for.
  agent.kill9();
  agent.start();
  agent.wait_until_up();
  std::ofstream(go) << "";
  const ProgramRun ran = run.get();
  EXPECT_EQ(ran.status, 4) << ran.err;
  EXPECT_EQ(ran.out, "first\nsecond\n") << "each byte once";
  const ProgramRun waited = wait.get();
  EXPECT_EQ(waited.status, 1) << "its task failed";
  EXPECT_THAT(waited.out, HasSubstr("failed; 0 of 1 task done"));
  const ProgramRun read = logs.get();
  EXPECT_EQ(read.status, 0) << read.err;
  EXPECT_EQ(read.out, "first\nsecond\n");
  for (const ProgramRun& each : {ran, waited, read}) {
    EXPECT_THAT(each.err, Not(HasSubstr("the agent is gone")));
  }
}

// It was cancelled without a word of why.
TEST_F(ReturningClients, RunSaysWhichJobCancelledItsOwn) {
  TestAgent& agent = add("a");
  wait_for_nodes(agent, 1);
  const auto bad = submit(agent, "exit 3", 1);
  finish(agent, bad);
  const std::string name = "a." + std::to_string(bad);
  const ProgramRun run = run_dunlin(agent.socket(), {"run", "--after", name, "--", "true"});
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, HasSubstr("job " + name + ", which it waited for, did not succeed"));
}

}  // namespace
}  // namespace dunlin::node
