// SPDX-License-Identifier: MIT
#include <chrono>
#include <gmock/gmock.h>
#include <string>

#include "node/wall_clock.h"
#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A job that begins later, with a real agent that dies in between.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class BeginTest : public AgentWorld {};

TEST_F(BeginTest, AJobWaitsForItsTimeThroughARestart) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  const std::int64_t submitted = wall_clock_ns();
  const ProgramRun taken =
      run_dunlin(agent.socket(), {"submit", "-q", "--begin", "6s", "--", "date", "+%s%N"});
  ASSERT_EQ(taken.status, 0) << taken.err;
  const auto told = [&] { return agent.client().ok(request("job", {{"number", 1}})); };
  EXPECT_THAT(told()["reason"].get<std::string>(), HasSubstr("its user has it begin later: in "));
  EXPECT_THAT(run_dunlin(agent.socket(), {"job", "1"}).out, HasSubstr("begin    not before 20"));
  EXPECT_THAT(run_dunlin(agent.socket(), {"explain", "1"}).out, HasSubstr("begin later"));
  EXPECT_EQ(told()["state"], "waiting");
  agent.kill9();
  agent.start();
  agent.wait_until_up();
  EXPECT_GE(told()["begin_at_ns"].get<std::int64_t>(), submitted + 5'900'000'000);
  EXPECT_EQ(finish(agent, 1)["done"], 1);
  EXPECT_GE(std::stoll(output(agent, 1, 0)), told()["begin_at_ns"].get<std::int64_t>());
}

TEST_F(BeginTest, TheCommandLineSaysWhatIsWrong) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  const ProgramRun word = run_dunlin(agent.socket(), {"submit", "--begin", "soon", "--", "true"});
  EXPECT_EQ(word.status, 2);
  EXPECT_THAT(word.err, HasSubstr("--begin: 'soon' is no begin: write 10m"));
  const ProgramRun late =
      run_dunlin(agent.socket(), {"submit", "--begin", "2h", "--deadline", "1h", "--", "true"});
  EXPECT_EQ(late.status, 2) << late.err;
  EXPECT_THAT(late.err, HasSubstr("it would begin when its deadline has passed"));
}

}  // namespace
}  // namespace dunlin::node
