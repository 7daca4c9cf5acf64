// SPDX-License-Identifier: MIT
#include "tools/dunlin/commands/completion_names.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "tests/unit/cli/connection/fake_agent.h"
#include "tools/dunlin/commands/commands.h"

namespace dunlin::cli {
namespace {

using namespace std::chrono_literals;

Json job_line(const char* id, int number, const char* known_as, const char* name) {
  return {{"job", id}, {"number", number}, {"known_as", known_as}, {"name", name},
      {"state", "running"}};
}

// A job of this agent is told by its number alone, though the list of the cluster has it, too.
TEST(CompletionNames, TellsJobsOnce) {
  FakeAgent agent([](FakeAgent& on) {
    const Json own = on.request();
    EXPECT_EQ(own["verb"], "jobs");
    EXPECT_EQ(own["cluster"], false);
    on.reply(own, {{"jobs", Json::array({job_line("a.12", 12, "12", "render")})}});
    const Json all = on.request();
    EXPECT_EQ(all["cluster"], true);
    on.reply(all,
        {{"jobs",
            Json::array({job_line("a.12", 12, "node1.12", "render"),
                job_line("b.7", 7, "merlin.7", "a\tb\nc")})}});
  });
  auto connection = agent.connect();
  // A stranger's name makes no line and no column.
  EXPECT_EQ(names_told(connection, "jobs", Clock::now() + 5s),
      "12\trender, running\nmerlin.7\ta?b?c, running\n");
}

TEST(CompletionNames, TellsNodesAndClasses) {
  FakeAgent agent([](FakeAgent& on) {
    const Json nodes = on.request();
    EXPECT_EQ(nodes["verb"], "nodes");
    on.reply(nodes, {{"nodes", Json::array({{{"name", "merlin"}, {"state", "up"}}})}});
    const Json classes = on.request();
    EXPECT_EQ(classes["verb"], "share_list");
    on.reply(classes, {{"classes", Json::array({{{"name", "gold"}, {"weight", 5}}})}});
  });
  auto connection = agent.connect();
  EXPECT_EQ(names_told(connection, "nodes", Clock::now() + 5s), "merlin\tup\n");
  EXPECT_EQ(names_told(connection, "classes", Clock::now() + 5s), "gold\tweight 5\n");
}

TEST(CompletionNames, WaitsNoLongerThanTold) {
  FakeAgent agent([](FakeAgent& on) {
    on.reply(on.request(), {{"jobs", Json::array({job_line("a.12", 12, "12", "render")})}});
    on.request();
    on.request();  // Ends when the client has left.
  });
  std::string told;
  {
    auto connection = agent.connect();
    told = names_told(connection, "jobs", Clock::now() + 200ms);
  }
  // What came in time is told.
  EXPECT_EQ(told, "12\trender, running\n");
}

TEST(CompletionNames, AreNoneWhereTheAgentRefuses) {
  FakeAgent agent([](FakeAgent& on) { on.fail(on.request(), "refused", "not for you"); });
  auto connection = agent.connect();
  EXPECT_EQ(names_told(connection, "nodes", Clock::now() + 5s), "");
  // The agent is gone.
  agent.join();
  EXPECT_EQ(names_told(connection, "nodes", Clock::now() + 5s), "");
}

TEST(CompletionNames, AreNoneWithoutAnAgent) {
  Globals globals;
  globals.agent.address = "/no/such/agent.sock";
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const auto status = completion_names(globals, "jobs");
  EXPECT_TRUE(status == Result<int>(0));
  EXPECT_EQ(
      ::testing::internal::GetCapturedStdout() + ::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace dunlin::cli
