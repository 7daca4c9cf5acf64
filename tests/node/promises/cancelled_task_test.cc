// SPDX-License-Identifier: MIT
#include <fstream>
#include <string>

#include "tests/node/agent_world.h"

// A user was told that a task is cancelled, and its home is killed before the task has ended: so it
// was stored before it was told. Otherwise the end that the worker tells of would look like one
// that nobody wanted, and the task would run again, to its end.
namespace dunlin::node {
namespace {

class CancelledTaskLive : public AgentWorld {
 protected:
  /// How often tasks began.
  std::size_t begun() const {
    std::ifstream in(home + "/begun");
    std::size_t lines = 0;
    for (std::string line; std::getline(in, line);) ++lines;
    return lines;
  }
};

TEST_F(CancelledTaskLive, StaysSoThoughItsHomeIsKilledAtOnce) {
  TestAgent& home_agent =
      add("a", {"--cpus=0.1", "--frontend.task_lease=20s", "--frontend.recovery_wait=5s"});
  // It hears of the cancellation, and ends when the home is long dead.
  add("b", {"--kill-grace=3s", "--worker.orphan_after=30s"});
  wait_for_nodes(home_agent, 2);
  const auto job =
      submit(home_agent, "trap '' TERM; echo begun >> " + home + "/begun; exec sleep 1000", 2);
  ASSERT_TRUE(eventually([&] { return begun() == 2; }));
  const Json told = home_agent.client().ok(request("cancel", {{"number", job}, {"tasks", {0}}}));
  EXPECT_EQ(told["cancelled"], 1);
  home_agent.kill9();
  home_agent.start();
  home_agent.wait_until_up();
  Json tasks;
  EXPECT_TRUE(eventually([&] {
    tasks = home_agent.client().ok(request("tasks", {{"number", job}}))["tasks"];
    return tasks[0]["state"] == "cancelled" && tasks[1]["state"] == "running";
  })) << tasks;
  home_agent.client().ok(request("cancel", {{"number", job}}));
  EXPECT_EQ(finish(home_agent, job)["cancelled"], 2);
  EXPECT_EQ(begun(), 2u) << "none of them began once more";
}

}  // namespace
}  // namespace dunlin::node
