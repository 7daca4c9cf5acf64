// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <set>
#include <signal.h>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// What runs on a node, whose it is and what it takes, as any agent of the cluster says it.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class NodeShow : public AgentWorld {
 protected:
  /// "a" takes no task of the size that tests submit; "b" has room for four.
  void start() {
    home_agent = &add("a", {"--cpus=0.1", "--frontend.task_lease=10s"});
    worker = &add("b", {"--worker.reattach_within=30s", "--tracker.period=200ms"});
    wait_for_nodes(*home_agent, 2);
  }
  Json tasks_of_b(Json more = Json::object()) {
    more["at"] = "b";
    return home_agent->client().ok(request("node_tasks", more));
  }
  std::string show(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"node", "show", "b"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramRun run = run_dunlin(home_agent->socket(), words);
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  }
  bool runs(std::size_t count) {
    // While an agent begins anew a question to it may fail.
    return eventually([&] {
      const Json reply = home_agent->client().call(request("node_tasks", {{"at", "b"}}));
      return reply.contains("ok") && reply["ok"]["running"] == count;
    });
  }

  TestAgent* home_agent = nullptr;
  TestAgent* worker = nullptr;
};

TEST_F(NodeShow, AnyAgentSaysWhatRunsOnANodeAndWhatItTakes) {
  start();
  const auto job = submit(*home_agent, "while :; do :; done", 6);
  ASSERT_TRUE(runs(4));
  const Json summary = home_agent->client().ok(request("job", {{"number", job}}));
  Json told;
  EXPECT_TRUE(eventually([&] {
    told = tasks_of_b();
    return std::ranges::all_of(told["tasks"], [](const Json& task) {
      return task["state"] != "running" ||
          (task.contains("used") && task["used"]["cpu_milli"].is_number());
    });
  })) << told;
  EXPECT_EQ(told["node_name"], "b");
  std::set<int> indices;
  for (const Json& task : told["tasks"]) {
    EXPECT_EQ(task["job"], summary["job"]);
    if (task["state"] != "running") continue;
    indices.insert(task["index"].get<int>());
    EXPECT_EQ(task["owner"], summary["owner"]);
    EXPECT_EQ(task["name"], "test");
    EXPECT_EQ(task["command"][0], "sh");
    EXPECT_EQ(task["holds"]["cpu_milli"], 500);
  }
  EXPECT_EQ(indices.size(), 4u);

  std::set<std::string> seen;
  Json page = tasks_of_b({{"limit", 3}});
  for (int pages = 0; pages < 5; ++pages) {
    for (const Json& task : page["tasks"]) {
      if (task["state"] == "running") seen.insert(task["index"].dump());
    }
    if (page["next"].is_null()) break;
    page = tasks_of_b({{"limit", 3}, {"after", page["next"]}});
  }
  EXPECT_EQ(seen.size(), 4u);

  const std::string text = show();
  EXPECT_THAT(text, HasSubstr("node b: up"));
  EXPECT_THAT(text, HasSubstr("cpus     2: 0 free, 2 held; tasks use "));
  EXPECT_THAT(text, HasSubstr("while :; do :; done"));
  EXPECT_EQ(Json::parse(show({"--json"}))["schema"], "dunlin.node/1");
  home_agent->client().ok(request("cancel", {{"number", job}}));
}

// What an agent knows of a task is of no use if the next one does not know it.
TEST_F(NodeShow, ATaskThatOutlivesItsAgentIsKnownToTheNext) {
  start();
  const auto job = submit(*home_agent, "sleep 60", 2);
  ASSERT_TRUE(runs(2));
  worker->signal(SIGUSR2);
  EXPECT_EQ(worker->wait(), 0);
  worker->start();
  worker->wait_until_up();
  wait_for_nodes(*home_agent, 2);
  ASSERT_TRUE(runs(2));
  const Json summary = home_agent->client().ok(request("job", {{"number", job}}));
  const Json told = tasks_of_b();
  for (const Json& task : told["tasks"]) {
    EXPECT_EQ(task["owner"], summary["owner"]);
    EXPECT_EQ(task["name"], "test");
    EXPECT_EQ(task["command"], Json::parse(R"(["sh", "-c", "sleep 60"])"));
  }
  home_agent->client().ok(request("cancel", {{"number", job}}));
}

TEST_F(NodeShow, ANodeThatIsGoneIsShownAsItIsKnown) {
  start();
  worker->signal(SIGTERM);
  EXPECT_EQ(worker->wait(), 0);
  ASSERT_TRUE(eventually([&] {
    return home_agent->client().ok(request("node", {{"node", "b"}}))["node"]["state"] == "down";
  }));
  const std::string text = show();
  EXPECT_THAT(text, HasSubstr("node b: down since "));
  EXPECT_THAT(text, HasSubstr("after a good-bye"));
  EXPECT_THAT(text, Not(HasSubstr("TASK ")));
  const ProgramRun none = run_dunlin(home_agent->socket(), {"node", "show", "bb"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.err, HasSubstr("did you mean b?"));
}

}  // namespace
}  // namespace dunlin::node
