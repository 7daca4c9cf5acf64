// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/node/agent_world.h"

// Emergencies on full agents: they start at once, those that yield run again, and whatever dies in
// between nothing is lost or done twice.
namespace dunlin::node {
namespace {

class Preempt : public AgentWorld {
 protected:
  /// n0 is the home of all jobs, and n1 runs their tasks: `script` fills it.
  void fill(const std::string& script) {
    const std::vector<std::string> arguments = {
        "--worker.preempt=emergency", "--worker.preempt_exempt=1ms", "--kill-grace=2s"};
    for (const char* const name : {"n0", "n1"}) add(name, arguments);
    for (const auto& agent : agents) wait_for_nodes(*agent, 2);
    n0().ok(request("drain", {{"node", "n0"}, {"on", true}}));
    low = submit(*agents[0], script, 4, {{"priority", 10}});
    EXPECT_TRUE(eventually([&] { return counts(low)["running"] == 4; }));
  }
  TestClient n0() const { return agents[0]->client(); }
  TestAgent& worker() { return *agents[1]; }
  Json job(std::uint32_t number) { return n0().ok(request("job", {{"number", number}})); }
  Json counts(std::uint32_t number) { return job(number)["counts"]; }
  std::uint32_t emergency(const std::string& script = "echo done") {
    return submit(*agents[0], script, 1, {{"priority", 95}});
  }
  bool has_stopped_one() {
    const Json status = worker().client().ok(request("status"));
    return status["counters"].value("event_task_preempted", 0) == 1;
  }
  /// The emergency is done, and all that yielded for it runs again.
  void expect_done(std::uint32_t high) {
    EXPECT_EQ(finish(*agents[0], high)["done"], 1);
    EXPECT_EQ(output(*agents[0], high, 0), "done\n");
    EXPECT_TRUE(eventually([&] { return counts(low)["running"] == 4; })) << counts(low);
    const Json told = job(low);
    EXPECT_EQ(told["preemptions"], 1) << told["preempted"];
    EXPECT_EQ(told["preempted"][0]["attempts"].size(), 1u);
    EXPECT_EQ(told["preempted"][0]["attempts"][0]["outcome"], "preempted");
    n0().ok(request("cancel", {{"number", low}}));
    EXPECT_EQ(finish(*agents[0], low)["cancelled"], 4) << "preempted is no end of a task";
  }
  static void restart(TestAgent& agent) {
    agent.kill9();
    agent.start();
    agent.wait_until_up();
  }

  std::uint32_t low = 0;
};

TEST_F(Preempt, AnEmergencyStartsWhereAllIsFull) {
  fill("echo $DUNLIN_PREEMPTIONS; sleep 1000");
  const std::uint32_t high = emergency();
  EXPECT_EQ(finish(*agents[0], high)["done"], 1);
  const Json attempt = job(low)["preempted"][0]["attempts"][0];
  EXPECT_EQ(attempt["detail"], "for job " + std::to_string(high) + " of priority 95");
  EXPECT_GT(attempt["wall_ns"], 0);
  expect_done(high);
}

TEST_F(Preempt, TheAgentOfTheWorkerDiesWhileTheTaskWaits) {
  fill("trap '' TERM; while :; do sleep 0.1; done");
  const std::uint32_t high = emergency();
  EXPECT_TRUE(eventually([&] { return has_stopped_one(); }));
  restart(worker());
  expect_done(high);
}

TEST_F(Preempt, TheHomeDiesWhileTheTaskWaits) {
  fill("trap '' TERM; while :; do sleep 0.1; done");
  const std::uint32_t high = emergency();
  EXPECT_TRUE(eventually([&] { return has_stopped_one(); }));
  restart(*agents[0]);
  expect_done(high);
}

}  // namespace
}  // namespace dunlin::node
