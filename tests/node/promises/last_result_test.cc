// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <string>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A user has a task run again while `dunlin run` still watches the job: its last result is the one
// that counts, and the one that is told.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LastResultLive : public AgentWorld {
 protected:
  LastResultLive() { add("a"); }

  /// Runs two tasks, of which task 0 is told to run again once it is `first`; task 1 ends then.
  /// `script` is what task 0 does; it finds the file `again` the second time.
  ProgramRun run_again(const std::string& script, const char* first, const char* then) {
    const std::string whole = "if [ $DUNLIN_TASK_INDEX = 0 ]; then cd " + home + "; " + script +
        "; else while ! test -e " + home + "/go; do sleep 0.05; done; fi";
    auto running = std::async(std::launch::async, [&] {
      return run_dunlin(agents[0]->socket(),
          {"run", "-q", "--count", "2", "--cpus", "0.5", "--", "sh", "-c", whole});
    });
    EXPECT_TRUE(eventually([&] { return is_so(first); }));
    std::ofstream(home + "/again") << "";
    agents[0]->client().ok(request("retry", {{"number", 1}, {"tasks", {0}}}));
    EXPECT_TRUE(eventually([&] { return is_so(then); }));
    std::ofstream(home + "/go") << "";
    return running.get();
  }
  /// True if so many tasks, of two, ended that way: task 0 alone has.
  bool is_so(const char* state) {
    const Json reply =
        agents[0]->client().call(request("tasks", {{"number", 1}, {"state", state}}));
    return reply.contains("ok") && reply["ok"]["tasks"].size() == 1;
  }
};

TEST_F(LastResultLive, OfATaskThatFailedFirstIsItsSuccess) {
  const ProgramRun run = run_again("test -e again || exit 3; echo again", "failed", "done");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "0: again\n");
}

TEST_F(LastResultLive, OfATaskThatSucceededFirstIsItsFailure) {
  const ProgramRun run = run_again("test -e again && exit 4; echo once", "done", "failed");
  EXPECT_EQ(run.status, 4) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("cancelled")));
}

}  // namespace
}  // namespace dunlin::node
