// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <signal.h>

#include "tests/node/agent_world.h"

// Agents that are killed or restarted under their tasks. Each task writes its attempt and its pid
// into a file when it starts: so what ran twice is seen, whatever the cluster says.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class ReattachAgents : public AgentWorld {
 protected:
  TestAgent& add_keeper(const std::string& name, std::vector<std::string> more = {}) {
    // A busy machine may take seconds to start an agent.
    for (const char* flag : {"--worker.reattach_within=30s", "--frontend.task_lease=10s",
             "--frontend.recovery_wait=5s"}) {
      more.emplace_back(flag);
    }
    return add(name, std::move(more));
  }
  /// A script that says when it starts and when it ends, with `body` between.
  std::string script(const std::string& body) const {
    return "echo %{TASK_INDEX} %{ATTEMPT} $$ >> " + starts() + "; " + body + "; echo %{TASK_INDEX}";
  }
  std::string starts() const { return home + "/starts"; }
  /// The attempts and pids of each task, as the tasks themselves wrote them.
  std::map<int, std::vector<std::pair<int, pid_t>>> started() const {
    std::map<int, std::vector<std::pair<int, pid_t>>> all;
    std::ifstream in(starts());
    int task = 0;
    int attempt = 0;
    pid_t pid = 0;
    while (in >> task >> attempt >> pid) all[task].emplace_back(attempt, pid);
    return all;
  }
  std::size_t started_count() const {
    std::size_t count = 0;
    for (const auto& [task, attempts] : started()) count += attempts.size();
    return count;
  }
  void expect_each_started_once(std::size_t tasks) const {
    EXPECT_EQ(started().size(), tasks);
    for (const auto& [task, attempts] : started()) {
      EXPECT_EQ(attempts.size(), 1u) << "task " << task;
    }
  }
  static void restart(TestAgent& agent) {
    agent.signal(SIGUSR2);
    EXPECT_EQ(agent.wait(), 0);
    agent.start();
    agent.wait_until_up();
  }
};

TEST_F(ReattachAgents, KillOfAnAgentCostsNoAttempt) {
  TestAgent& home_agent = add_keeper("a");
  TestAgent& worker = add_keeper("b");
  wait_for_nodes(home_agent, 2);
  const auto job = submit(home_agent, script("sleep 3; echo done"), 8);
  ASSERT_TRUE(eventually([&] { return started_count() == 8; }));
  for (int i = 0; i < 3; ++i) {
    worker.kill9();
    worker.start();
    worker.wait_until_up();
  }
  home_agent.kill9();
  home_agent.start();
  home_agent.wait_until_up();
  const Json counts = finish(home_agent, job);
  EXPECT_EQ(counts.value("done", 0), 8) << counts.dump();
  expect_each_started_once(8);
  wait_for_nodes(home_agent, 2);  // Of which one has the output.
  for (std::uint32_t task = 0; task < 8; ++task) {
    EXPECT_EQ(output(home_agent, job, task), "done\n" + std::to_string(task) + "\n");
  }
}

TEST_F(ReattachAgents, AWardenThatLivesIsFoundAlthoughItsProgramIsGone) {
  TestAgent& home_agent = add("a", {"--cpus=0.1", "--frontend.task_lease=10s"});
  const std::string program = home + "/warden";
  std::filesystem::copy_file(
      std::filesystem::path(DUNLIN_PROGRAM).parent_path() / "dunlin-warden", program);
  ::setenv("DUNLIN_WARDEN", program.c_str(), 1);
  TestAgent& worker = add_keeper("b");
  ::unsetenv("DUNLIN_WARDEN");
  wait_for_nodes(home_agent, 2);
  const auto job = submit(home_agent, script("sleep 4"), 2);
  ASSERT_TRUE(eventually([&] { return started_count() == 2; }));
  worker.kill9();
  std::filesystem::remove(program);
  ::setenv("DUNLIN_WARDEN", program.c_str(), 1);
  worker.start();
  ::unsetenv("DUNLIN_WARDEN");
  worker.wait_until_up();
  const Json counts = finish(home_agent, job);
  EXPECT_EQ(counts.value("done", 0), 2) << counts.dump();
  expect_each_started_once(2);
}

TEST_F(ReattachAgents, AnEndWhileNoAgentLivedIsReported) {
  TestAgent& home_agent = add("a", {"--cpus=0.1", "--frontend.task_lease=10s"});
  TestAgent& worker = add_keeper("b");
  wait_for_nodes(home_agent, 2);
  const auto job = submit(home_agent, script("sleep 1; echo done; exit 7"), 2);
  ASSERT_TRUE(eventually([&] { return started_count() == 2; }));
  worker.kill9();
  for (const auto& [task, attempts] : started()) {
    EXPECT_EQ(::kill(attempts[0].second, 0), 0) << "it runs on";
  }
  for (const auto& [task, attempts] : started()) {
    const pid_t pid = attempts[0].second;
    EXPECT_TRUE(eventually([&] { return ::kill(pid, 0) != 0; }));
  }
  worker.start();
  worker.wait_until_up();
  const Json counts = finish(home_agent, job);
  EXPECT_EQ(counts.value("failed", 0), 2) << counts.dump();
  expect_each_started_once(2);
  EXPECT_EQ(output(home_agent, job, 1), "done\n");
}

TEST_F(ReattachAgents, TasksEndIfTheAgentStaysAway) {
  TestAgent& home_agent = add("a", {"--cpus=0.1"});
  TestAgent& worker = add("b", {"--worker.reattach_within=1s"});
  wait_for_nodes(home_agent, 2);
  const auto job = submit(home_agent, script("test %{ATTEMPT} -gt 1 || exec sleep 60"), 1);
  ASSERT_TRUE(eventually([&] { return started_count() == 1; }));
  worker.kill9();
  const pid_t pid = started()[0][0].second;
  EXPECT_TRUE(eventually([&] { return ::kill(pid, 0) != 0; }));
  worker.start();
  worker.wait_until_up();
  const Json counts = finish(home_agent, job);
  EXPECT_EQ(counts.value("done", 0), 1) << counts.dump();
  EXPECT_EQ(started()[0].size(), 2u) << "the attempt was lost, once";
}

TEST_F(ReattachAgents, SigtermEndsTasksUnlessTheyAreToBeKept) {
  TestAgent& home_agent = add("a", {"--cpus=0.1"});
  TestAgent& worker = add_keeper("b", {"--drain-deadline=0s", "--leave-deadline=0s"});
  wait_for_nodes(home_agent, 2);
  submit(home_agent, script("sleep 60"), 1);
  ASSERT_TRUE(eventually([&] { return started_count() == 1; }));
  worker.signal(SIGTERM);
  EXPECT_EQ(worker.wait(), 0);
  EXPECT_NE(::kill(started()[0][0].second, 0), 0);

  TestAgent& other = add_keeper("c", {"--stop=keep"});
  ASSERT_TRUE(eventually([&] { return started_count() == 2; }));
  other.signal(SIGTERM);
  EXPECT_EQ(other.wait(), 0);
  const pid_t pid = started()[0][1].second;
  EXPECT_EQ(::kill(pid, 0), 0);
  other.start();
  other.wait_until_up();
  EXPECT_EQ(::kill(pid, 0), 0);
  EXPECT_THAT(other.log(), HasSubstr("tasks_taken_back"));
}

TEST_F(ReattachAgents, EveryAgentRestartedInTurnUnderTasks) {
  for (const char* name : {"a", "b", "c"}) add_keeper(name);
  wait_for_nodes(*agents[0], 3);
  constexpr int kTasks = 40;
  const auto job = submit(*agents[0], script("sleep 2"), kTasks);
  for (const auto& agent : agents) {
    const std::size_t before = started_count();
    ASSERT_TRUE(eventually([&] { return started_count() > before; }));
    restart(*agent);
  }
  const Json counts = finish(*agents[0], job);
  EXPECT_EQ(counts.value("done", 0), kTasks) << counts.dump();
  expect_each_started_once(kTasks);
}

}  // namespace
}  // namespace dunlin::node
