// SPDX-License-Identifier: MIT
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <iterator>
#include <string>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A job of which no task runs twice, with a real agent whose warden dies, and which dies itself.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class RerunTest : public AgentWorld {
 protected:
  /// Submits a task that says that it began, and waits until it did.
  void start_one(TestAgent& agent) {
    const ProgramRun taken = run_dunlin(agent.socket(),
        {"submit", "-q", "--rerun", "never", "--", "sh", "-c",
            "echo begun >> " + home + "/begun; sleep 300"});
    ASSERT_EQ(taken.status, 0) << taken.err;
    ASSERT_TRUE(eventually([&] { return begun() == "begun\n"; }));
  }
  std::string begun() const {
    std::ifstream file(home + "/begun");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static Json job(TestAgent& agent) { return agent.client().ok(request("job", {{"number", 1}})); }
};

TEST_F(RerunTest, ATaskThatWasLostEndsSo) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  start_one(agent);
  const ProgramRun requeued = run_dunlin(agent.socket(), {"requeue", "1"});
  EXPECT_EQ(requeued.status, 1) << requeued.out;
  EXPECT_THAT(requeued.err, HasSubstr("never runs twice"));
  ASSERT_EQ(::kill(agent.warden(), SIGKILL), 0);
  EXPECT_TRUE(eventually([&] { return job(agent)["finished"] == true; }));
  EXPECT_EQ(job(agent)["worst_outcome"], "lost");
  EXPECT_EQ(job(agent)["state"], "failed");
  EXPECT_EQ(job(agent)["rerun"], "never");
  EXPECT_THAT(job(agent)["reason"].get<std::string>(), HasSubstr("no task of the job runs twice"));
  const ProgramRun shown = run_dunlin(agent.socket(), {"job", "1"});
  EXPECT_THAT(shown.out, HasSubstr("rerun    never: a task whose attempt is lost ends as lost"));
  const ProgramRun retried = run_dunlin(agent.socket(), {"retry", "1"});
  EXPECT_EQ(retried.status, 1) << retried.out;
  EXPECT_THAT(retried.err, HasSubstr("submit it anew"));
  EXPECT_EQ(begun(), "begun\n");
}

TEST_F(RerunTest, AlsoWhereTheAgentThatKnowsOfItDiesToo) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  start_one(agent);
  const pid_t warden = agent.warden();
  agent.kill9();
  ASSERT_EQ(::kill(warden, SIGKILL), 0);
  agent.start();
  agent.wait_until_up();
  EXPECT_TRUE(eventually([&] { return job(agent)["finished"] == true; }));
  EXPECT_EQ(job(agent)["worst_outcome"], "lost");
  EXPECT_EQ(begun(), "begun\n");
}

TEST_F(RerunTest, TheCommandLineSaysWhatIsWrong) {
  TestAgent& agent = add("a");
  agent.wait_until_up();
  const auto refused = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"submit", "--rerun", "never"});
    words.insert(words.end(), {"--", "true"});
    const ProgramRun run = run_dunlin(agent.socket(), words);
    EXPECT_EQ(run.status, 2) << run.out;
    return run.err;
  };
  EXPECT_THAT(refused({"--retries", "1"}), HasSubstr("--rerun says never"));
  EXPECT_THAT(refused({"--on-preempt", "suspend"}), HasSubstr("leave out --on-preempt"));
}

}  // namespace
}  // namespace dunlin::node
