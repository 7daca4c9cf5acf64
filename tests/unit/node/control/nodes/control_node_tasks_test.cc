// SPDX-License-Identifier: MIT
#include <set>

#include "node/control/control_handlers.h"
#include "tests/unit/node/control/client_test.h"

// The verb `node_tasks`.
namespace dunlin::node {
namespace {

using ::testing::IsEmpty;

class ControlNodeTasks : public ClientTest {
 protected:
  Json tell(const Json& request = Json::object()) {
    const Json reply = ask("node_tasks", request);
    EXPECT_EQ(error_of(reply), "");
    return reply["ok"];
  }
  /// So many tasks of one job of `owner` run, or wait if there is no room.
  void run(std::uint32_t tasks, std::uint32_t cpu_milli, const std::string& owner) {
    const Json reply = ask("submit",
        {{"name", "train"}, {"owner", owner}, {"allow_unsatisfiable", true},
            {"groups",
                {{{"count", tasks}, {"demand", {{"cpu_milli", cpu_milli}}},
                    {"command", {"true"}}}}}});
    EXPECT_EQ(error_of(reply), "");
    agent.deliver();
  }
  /// What another user sees.
  Json seen_by(const std::string& user) {
    auto other = std::make_shared<FakeConnection>();
    ControlSession looks{agent, other, Principal{.user = user}, requests};
    other->say(R"({"verb": "node_tasks", "id": 1})");
    looks.advance();
    return other->replies.back()["ok"];
  }
};

TEST_F(ControlNodeTasks, ANodeThatNeverRanATaskHasNone) {
  const Json told = tell();
  EXPECT_EQ(told["node_name"], "merlin");
  EXPECT_EQ(told["running"], 0);
  EXPECT_THAT(told["tasks"], IsEmpty());
  EXPECT_EQ(told["next"], nullptr);
}

TEST_F(ControlNodeTasks, TellsWhoseATaskIsAndWhatItTakes) {
  run(1, 1500, "anna");
  ASSERT_EQ(agent.executor.launches.size(), 1u);
  agent.time += std::chrono::seconds(7);
  RunningUse use;
  use.sampled = true;
  use.cpu = std::chrono::seconds(3);
  use.memory = 5 << 20;
  use.cpu_lately = 900;
  use.has_disk = true;
  use.disk_written = 12;
  agent.tasks_here.told[0] = {
      .about = {.owner = "anna", .job_name = "train", .command = {"sh", "-c", "sleep 9"}},
      .slot = 3,
      .devices = {{"gpu", {0, 2}}, {"fpga", {}}},
      .use = use};
  const Json told = tell();
  EXPECT_EQ(told["running"], 1);
  ASSERT_EQ(told["tasks"].size(), 1u);
  const Json& task = told["tasks"][0];
  EXPECT_EQ(task["known_as"], "merlin.1");
  EXPECT_EQ(task["owner"], "anna");
  EXPECT_EQ(task["name"], "train");
  EXPECT_EQ(task["state"], "running");
  EXPECT_EQ(task["index"], 0);
  EXPECT_EQ(task["attempt"], 1);
  EXPECT_EQ(task["age_ns"], 7'000'000'000);
  EXPECT_EQ(task["holds"]["cpu_milli"], 1500);
  EXPECT_EQ(task["slot"], 3);
  EXPECT_EQ(task["devices"], Json::parse(R"([{"resource": "gpu", "numbers": [0, 2]}])"));
  EXPECT_EQ(task["command"], Json::parse(R"(["sh", "-c", "sleep 9"])"));
  EXPECT_EQ(task["used"]["cpu_milli"], 900);
  EXPECT_EQ(task["used"]["memory_bytes"], 5 << 20);
  EXPECT_EQ(task["used"]["disk_written_bytes"], 12);
  EXPECT_FALSE(task["used"].contains("net_sent_bytes")) << "nobody counts those";
}

// What a task runs may hold a secret; that it runs, and whose it is, others see in `jobs`, too.
TEST_F(ControlNodeTasks, OthersSeeNoCommand) {
  run(1, 1000, "anna");
  agent.tasks_here.told[0] = {.about = {.owner = "anna", .job_name = "train", .command = {"sh"}}};
  const Json others = seen_by("bob")["tasks"][0];
  EXPECT_EQ(others["owner"], "anna");
  EXPECT_FALSE(others.contains("command"));
  EXPECT_TRUE(seen_by("anna")["tasks"][0].contains("command"));
}

// A job that is driven here is known, whatever the executor says.
TEST_F(ControlNodeTasks, OneThatTheExecutorDoesNotKnowIsToldAllTheSame) {
  run(1, 1000, "anna");
  const Json task = tell()["tasks"][0];
  EXPECT_EQ(task["owner"], "anna");
  EXPECT_FALSE(task.contains("used"));
  EXPECT_FALSE(task.contains("slot"));
}

TEST_F(ControlNodeTasks, WhatWaitsHasItsPlace) {
  run(1, 4000, "anna");
  run(1, 4000, "bob");
  const Json told = tell();
  EXPECT_EQ(told["queued"], 1);
  ASSERT_EQ(told["tasks"].size(), 2u);
  EXPECT_EQ(told["tasks"][1]["state"], "queued");
  EXPECT_EQ(told["tasks"][1]["place"], 1);
  EXPECT_EQ(told["tasks"][1]["owner"], "bob");
  EXPECT_FALSE(told["tasks"][1].contains("index")) << "which task it is, is not decided";
}

TEST_F(ControlNodeTasks, PagesHaveEachTaskOnce) {
  run(4, 1000, "anna");
  run(1, 1000, "bob");
  ASSERT_EQ(agent.executor.launches.size(), 4u);
  std::set<std::string> seen;
  Json request = {{"limit", 2}};
  int pages = 0;
  for (; pages < 10; ++pages) {
    const Json told = tell(request);
    EXPECT_LE(told["tasks"].size(), 2u);
    for (const Json& task : told["tasks"]) {
      const std::string name = task["job"].get<std::string>() + "." + task.value("state", "") +
          std::to_string(task.value("index", 0));
      EXPECT_TRUE(seen.insert(name).second) << name;
    }
    if (told["next"].is_null()) break;
    request["after"] = told["next"];
  }
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(pages, 2);
}

TEST_F(ControlNodeTasks, WhatIsNoCursorIsRefused) {
  for (const char* const wrong : {"x", "r", "r1.2", "q", "q1.", "a-1", "r1.2.3.4.5.6", "e1"}) {
    EXPECT_EQ(error_of(ask("node_tasks", {{"after", wrong}})),
        "usage: 'after' must be the `next` of an answer before")
        << wrong;
  }
  EXPECT_EQ(error_of(ask("node_tasks", {{"limit", 201}})).substr(0, 6), "usage:");
}

}  // namespace
}  // namespace dunlin::node
