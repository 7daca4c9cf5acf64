// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// Tasks that are told that their time limit is near, with a real agent.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class LimitSignalTest : public AgentWorld {
 protected:
  static ProgramRun run_shell(TestAgent& agent,
      const std::string& limit,
      const std::string& signal,
      const std::string& script) {
    return run_dunlin(agent.socket(),
        {"run", "-q", "--time-limit", limit, "--limit-signal", signal, "--", "sh", "-c", script});
  }
};

TEST_F(LimitSignalTest, ATaskThatIsToldMayEndInTime) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  const ProgramRun ended = run_shell(
      agent, "1m", "SIGUSR2@57s", "trap 'echo near; exit 3' USR2; while :; do sleep 0.02; done");
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_EQ(ended.out, "near\n");
  EXPECT_THAT(
      run_dunlin(agent.socket(), {"job", "last"}).out, HasSubstr("at most 1m, signal USR2@57s, "));
  EXPECT_THAT(run_dunlin(agent.socket(), {"job", "last", "--file"}).out,
      HasSubstr("limit_signal = \"USR2@57s\""));
  const Json group = agent.client().ok(request("job", {{"number", 1}})).at("groups").at(0);
  EXPECT_EQ(group.at("limit_signal"), 12);
  EXPECT_EQ(group.at("limit_signal_time_ns"), 57'000'000'000);
}

TEST_F(LimitSignalTest, OneThatGoesOnIsEndedByTheLimit) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  const ProgramRun ended =
      run_shell(agent, "5s", "12@2s", "trap 'echo near' USR2; while :; do sleep 0.02; done");
  EXPECT_EQ(ended.status, 124) << ended.err;
  EXPECT_EQ(ended.out, "near\n");
  const ProgramRun wrong = run_shell(agent, "30s", "USR2", "true");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(
      wrong.err, HasSubstr("limit_signal USR2@1m comes 1m before the end of a time limit of 30s"));
  EXPECT_EQ(run_shell(agent, "30s", "USER2@3s", "true").status, 2);
  const ProgramRun planned = run_dunlin(agent.socket(),
      {"submit", "--dry-run", "--time-limit", "1m", "--limit-signal", "USR1@5s", "--", "true"});
  EXPECT_THAT(planned.out, HasSubstr("USR1@5s"));
}

}  // namespace
}  // namespace dunlin::node
