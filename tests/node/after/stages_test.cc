// SPDX-License-Identifier: MIT
#include <chrono>
#include <fstream>
#include <gmock/gmock.h>
#include <signal.h>
#include <sstream>
#include <string>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A job of three stages, of real processes, while the agents that drive and run it are killed.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class StagesTest : public AgentWorld {
 protected:
  static constexpr int kMaps = 6;
  static constexpr int kReduces = 3;

  /// Each task appends a line to a file of its own, once all files of the stage before are there;
  /// else it fails.
  std::string script(const std::string& stage, const std::string& before, int count) const {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "test -e " + home + "/" + before + "." + std::to_string(i) + " || exit 9; ";
    }
    return text + "sleep 1; echo done >> " + home + "/" + stage + ".$DUNLIN_ARRAY_INDEX";
  }
  static Json group(const std::string& name,
      const std::string& script,
      int count,
      const std::vector<std::string>& after) {
    return {{"name", name}, {"command", {"sh", "-c", script}},
        {"array", "0-" + std::to_string(count - 1)}, {"after", after},
        {"demand", {{"cpu_milli", 1000}, {"memory_mib", 16}}}};
  }
  std::uint32_t submit_stages(TestAgent& at) {
    const Json groups = {group("map", script("map", "", 0), kMaps, {}),
        group("reduce", script("reduce", "map", kMaps), kReduces, {"map"}),
        group("report", script("report", "reduce", kReduces), 1, {"reduce"})};
    return at.client().ok(request("submit", {{"groups", groups}}))["number"];
  }
  static Json job(TestAgent& at, std::uint32_t number) {
    return at.client().ok(request("job", {{"number", number}}));
  }
  static void kill_all_of(TestAgent& agent) {
    const pid_t warden = agent.warden();
    agent.kill9();
    ASSERT_GT(warden, 0);
    ::kill(warden, SIGKILL);
  }
  static void restart(TestAgent& agent) {
    agent.start();
    agent.wait_until_up();
  }
};

TEST_F(StagesTest, SurvivesTheDeathOfItsFrontendAndOfAWorker) {
  for (const char* const name : {"n0", "n1", "n2"}) add(name);
  for (const auto& agent : agents) agent->wait_until_up();
  for (const auto& agent : agents) wait_for_nodes(*agent, 3);
  TestAgent& home_agent = *agents[0];
  const auto number = submit_stages(home_agent);
  const auto left_of = [&](std::size_t group) -> int {
    return job(home_agent, number)["groups"][group]["after"][0]["left"];
  };
  const auto explained = home_agent.client().ok(request("explain", {{"number", number}}));
  EXPECT_THAT(explained["groups"][1]["verdict"].get<std::string>(),
      HasSubstr("group reduce waits for map: "));
  ASSERT_TRUE(eventually([&] { return left_of(1) < kMaps; })) << "map goes on";

  home_agent.kill9();
  restart(home_agent);
  EXPECT_THAT(run_dunlin(home_agent.socket(), {"job", std::to_string(number)}).out,
      HasSubstr("after    group map: "));
  ASSERT_TRUE(eventually([&] { return left_of(1) == 0; })) << "map ends, and reduce begins";
  // Its tasks die with it.
  kill_all_of(*agents[1]);
  home_agent.kill9();
  restart(home_agent);
  restart(*agents[1]);

  EXPECT_EQ(finish(home_agent, number)["done"], kMaps + kReduces + 1);
  const Json ended = job(home_agent, number);
  EXPECT_EQ(ended["state"], "done") << "a task that started early would have failed";
  EXPECT_EQ(ended["groups"][2]["after"][0]["state"], "met");
}

TEST_F(StagesTest, AStageThatFailsCancelsThoseAfterIt) {
  auto& agent = add("n0");
  agent.wait_until_up();
  const std::string file = home + "/job.toml";
  std::ofstream(file) << "[[group]]\nname = \"map\"\ncommand = \"exit $DUNLIN_TASK_INDEX\"\n"
                         "count = 2\n[[group]]\nname = \"reduce\"\ncommand = \"true\"\ncount = 3\n"
                         "after = [\"map\"]\n";
  const auto run = run_dunlin(agent.socket(), {"run", "-q", "-f", file});
  EXPECT_EQ(run.status, 1) << run.err;
  const auto shown = run_dunlin(agent.socket(), {"job", "1"});
  EXPECT_THAT(shown.out, HasSubstr("1 failed, 3 cancelled")) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("group map: did not succeed"));
  EXPECT_THAT(shown.out, HasSubstr("group map did not succeed, which cancelled 3 tasks of group"));
  EXPECT_THAT(
      run_dunlin(agent.socket(), {"events", "--event", "stage_*"}).out, HasSubstr("stage_settled"));
  std::ofstream(file) << "[[group]]\nname = \"map\"\ncommand = \"true\"\n[[group]]\n"
                         "command = \"true\"\nafter = [\"mpa\"]\n";
  const auto wrong = run_dunlin(agent.socket(), {"submit", "-f", file});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("job.toml:6: after: no group is named 'mpa'; there are: map"));
}

}  // namespace
}  // namespace dunlin::node
