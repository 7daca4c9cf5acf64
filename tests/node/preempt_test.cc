// SPDX-License-Identifier: MIT
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/node/agent_world.h"

// Emergencies on full agents: they start at once, those that yield run again, and whatever dies in
// between nothing is lost or done twice.
namespace dunlin::node {
namespace {

class Preempt : public AgentWorld {
 protected:
  /// n0 is the home of all jobs, and n1 runs their tasks: `script` fills it.
  void fill(const std::string& script, const char* on_preempt = "requeue") {
    fill(std::vector<std::string>{"sh", "-c", script}, on_preempt, "");
  }
  void fill(const std::vector<std::string>& command,
      const char* on_preempt,
      const std::string& output_file) {
    std::vector<std::string> arguments = {
        "--worker.preempt=emergency", "--worker.preempt_exempt=1ms", "--kill-grace=2s"};
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    for (const char* const name : {"n0", "n1"}) add(name, arguments);
    for (const auto& agent : agents) wait_for_nodes(*agent, 2);
    n0().ok(request("drain", {{"node", "n0"}, {"on", true}}));
    Json job = {{"name", "low"}, {"owner", "tester"}, {"on_preempt", on_preempt}};
    job["groups"] = {{{"command", command}, {"count", 4}, {"priority", 10}, {"stdout", output_file},
        {"demand", {{"cpu_milli", 500}, {"memory_mib", 16}}}}};
    low = n0().ok(request("submit", job)).value("number", 0u);
    EXPECT_TRUE(eventually([&] { return counts(low)["running"] == 4; }));
  }
  /// A task waits for that file.
  std::string until(const std::string& name) {
    return "while ! test -e " + home + "/" + name + "; do sleep 0.05; done; echo done";
  }
  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  void let(const std::string& name) { std::ofstream(home + "/" + name) << ""; }
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

  std::vector<std::string> settings;  ///< Of both agents, beside those of all tests.
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

TEST_F(Preempt, ASuspendedTaskLosesNothingThoughItsAgentDies) {
  settings = {"--worker.reattach_within=30s", "--frontend.task_lease=10s"};
  fill(until("low"), "suspend");
  const std::uint32_t high = emergency(until("high"));
  EXPECT_TRUE(eventually([&] { return job(low)["suspended"] == 1; }));
  EXPECT_TRUE(eventually([&] { return counts(high)["running"] == 1; }));
  restart(worker());
  const auto counted = [&](const char* event) {
    return worker().client().ok(request("status"))["counters"].value(event, 0);
  };
  EXPECT_TRUE(eventually([&] { return counted("event_task_taken_back") == 5; }));
  ::usleep(1'500'000);  // Longer than a renewal: its frontend hears of it again.
  EXPECT_EQ(job(low)["suspended"], 1);
  EXPECT_EQ(counted("event_task_resumed"), 0);
  let("high");
  EXPECT_EQ(finish(*agents[0], high)["done"], 1);
  EXPECT_TRUE(eventually([&] { return job(low)["suspended"] == 0; }));
  EXPECT_EQ(counted("event_task_resumed"), 1);
  EXPECT_EQ(counts(low)["running"], 4);
  let("low");
  EXPECT_EQ(finish(*agents[0], low)["done"], 4);
  EXPECT_EQ(job(low)["preemptions"], 0) << "no attempt was made again";
}

// The example of the guide: whatever is stopped, no finished step is done again.
TEST_F(Preempt, TheCheckpointExampleRepeatsNoStep) {
  constexpr int kSteps = 60;
  fill(std::vector<std::string>{DUNLIN_SOURCE_DIR "/docs/guide/examples/checkpoint.sh",
           home + "/state.%{TASK_INDEX}", std::to_string(kSteps), "0.1"},
      "checkpoint", home + "/steps.%{TASK_INDEX}");
  for (int i = 0; i < 3; ++i) {
    ::usleep(700'000);
    EXPECT_EQ(finish(*agents[0], emergency())["done"], 1);
  }
  EXPECT_EQ(finish(*agents[0], low)["done"], 4);
  EXPECT_EQ(job(low)["preemptions"], 3);
  std::string all;
  for (int step = 1; step <= kSteps; ++step) all += "step " + std::to_string(step) + "\n";
  for (int task = 0; task < 4; ++task) {
    EXPECT_EQ(content(home + "/steps." + std::to_string(task)), all);
  }
}

}  // namespace
}  // namespace dunlin::node
