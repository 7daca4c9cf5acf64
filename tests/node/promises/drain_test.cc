// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <signal.h>
#include <string>

#include "tests/node/agent_world.h"
#include "tests/node/program.h"

// A node that was drained for a repair takes no tasks when it is back, whatever ended its agent.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class DrainLive : public AgentWorld {
 protected:
  DrainLive() {
    for (const char* const name : {"a", "b"}) add(name);
    for (const auto& agent : agents) wait_for_nodes(*agent, 2);
  }
  TestAgent& a() { return *agents[0]; }
  TestAgent& b() { return *agents[1]; }
  void restart_b(int signal) {
    b().signal(signal);
    b().wait();
    b().start();
    b().wait_until_up();
  }
  Json status_of_b() { return b().client().ok(request("status")); }
};

TEST_F(DrainLive, OutlivesTheAgentUntilItIsEnded) {
  // A busy node may answer too late, and is told once more.
  ASSERT_TRUE(eventually([&] {
    return run_dunlin(a().socket(), {"node", "drain", "b", "--reason", "new disk"}).status == 0;
  }));
  for (const int signal : {SIGKILL, SIGUSR2, SIGTERM}) {
    restart_b(signal);
    const Json status = status_of_b();
    EXPECT_EQ(status["state"], "draining") << signal;
    EXPECT_EQ(status["drain"]["reason"], "new disk") << signal;
    EXPECT_THAT(status["drain"]["by"].get<std::string>(), HasSubstr("@a")) << signal;
  }
  EXPECT_THAT(b().log(), HasSubstr("still_drained"));
  EXPECT_TRUE(eventually([&] {
    return run_dunlin(a().socket(), {"nodes"}).out.find(": new disk") != std::string::npos;
  })) << "whoever looks is told why";
  const auto job = submit(a(), "true", 4);
  EXPECT_EQ(finish(a(), job)["done"], 4);
  const Json listed = a().client().ok(request("tasks", {{"number", job}}));
  for (const Json& task : listed["tasks"]) EXPECT_EQ(task["worker_name"], "a");

  b().client().ok(request("drain", {{"on", false}}));
  restart_b(SIGKILL);
  EXPECT_EQ(status_of_b()["state"], "up");
}

TEST_F(DrainLive, EndsByItselfWhenThatWasSaid) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  b().client().ok(request("drain", {{"on", true}, {"lasts_ns", 3600 * kSecond}}));
  const Json until = status_of_b()["drain"]["until_ns"];
  restart_b(SIGKILL);
  EXPECT_EQ(status_of_b()["drain"]["until_ns"], until);
  b().client().ok(request("drain", {{"on", true}, {"lasts_ns", kSecond}}));
  restart_b(SIGKILL);
  EXPECT_TRUE(eventually([&] { return status_of_b()["state"] == "up"; }));
}

}  // namespace
}  // namespace dunlin::node
