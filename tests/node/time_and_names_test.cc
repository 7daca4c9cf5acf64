// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <map>
#include <signal.h>
#include <thread>

#include "tests/node/agent_world.h"

// Machines of which the wall clock is set or the address changes, or which sleep for longer than
// leases last. Each task writes its attempt and its pid into a file when it starts.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class TimeAndNames : public AgentWorld {
 protected:
  /// An agent of which set_clock() and set_host() move the clock and the name.
  TestAgent& add_moving(const std::string& name, std::vector<std::string> arguments = {}) {
    if (!agents.empty()) arguments.push_back("--join=" + agents.front()->address());
    agents.push_back(std::make_unique<TestAgent>(name, home + "/" + name, key, arguments));
    agents.back()->in_child = [this] {
      ::setenv("LD_PRELOAD", DUNLIN_CLOCK_AND_NAMES, 1);
      ::setenv("DUNLIN_TEST_CLOCK", (home + "/clock").c_str(), 1);
      ::setenv("DUNLIN_TEST_HOST", (home + "/host").c_str(), 1);
      ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
    };
    return *agents.back();
  }
  void set_clock(std::chrono::seconds ahead) const {
    std::ofstream(home + "/clock.new") << ahead.count();
    std::filesystem::rename(home + "/clock.new", home + "/clock");
  }
  void set_host(const std::string& address) const {
    std::ofstream(home + "/host.new") << address;
    std::filesystem::rename(home + "/host.new", home + "/host");
  }
  std::string script(const std::string& body) const {
    return "echo %{TASK_INDEX} %{ATTEMPT} $$ >> " + starts() + "; " + body;
  }
  std::string starts() const { return home + "/starts"; }
  std::map<int, std::vector<pid_t>> started() const {
    std::map<int, std::vector<pid_t>> all;
    std::ifstream in(starts());
    int task = 0;
    int attempt = 0;
    pid_t pid = 0;
    while (in >> task >> attempt >> pid) all[task].push_back(pid);
    return all;
  }
  std::size_t started_count() const {
    std::size_t count = 0;
    for (const auto& [task, pids] : started()) count += pids.size();
    return count;
  }
  void expect_each_started_once(std::size_t tasks) const {
    EXPECT_EQ(started().size(), tasks);
    for (const auto& [task, pids] : started()) EXPECT_EQ(pids.size(), 1u) << "task " << task;
  }
  /// The address of a node, as `at` lists it.
  static std::string address_of(TestAgent& at, const std::string& name) {
    const Json nodes = at.client().ok(request("nodes"))["nodes"];
    for (const Json& node : nodes) {
      if (node["name"] == name && node["state"] == "up") return node["address"];
    }
    return "";
  }
};

TEST_F(TimeAndNames, StepsOfTheWallClockByHoursChangeNothingButLabels) {
  TestAgent& a = add("a");
  set_clock(0s);
  TestAgent& b = add_moving("b");
  b.start();
  b.wait_until_up();
  wait_for_nodes(a, 2);
  const auto job = submit(a, script("sleep 6"), 6);
  const auto own = submit(b, "sleep 1", 2);
  ASSERT_TRUE(eventually([&] { return started_count() == 6; }));
  set_clock(5h);
  std::this_thread::sleep_for(2s);
  // It meets a node that it never spoke to, as one with a wrong clock.
  TestAgent& c = add("c");
  wait_for_nodes(c, 3);
  set_clock(-5h);
  std::this_thread::sleep_for(2s);
  const auto late = submit(b, "true", 4);
  EXPECT_EQ(finish(a, job)["done"], 6);
  EXPECT_EQ(finish(b, own)["done"], 2);
  EXPECT_EQ(finish(b, late)["done"], 4);
  expect_each_started_once(6);
  // It begins anew in the past, too.
  b.signal(SIGUSR2);
  EXPECT_EQ(b.wait(), 0);
  b.start();
  b.wait_until_up();
  wait_for_nodes(a, 3);
  EXPECT_EQ(finish(b, submit(b, "true", 4))["done"], 4);
  EXPECT_THAT(b.log() + a.log() + c.log(), Not(HasSubstr("task_lost")));
}

TEST_F(TimeAndNames, ANodeWhoseNameMovesBeginsAnewThereAndItsTasksRunOn) {
  TestAgent& a = add("a", {"--frontend.task_lease=10s"});
  set_host("127.0.0.1");
  TestAgent& b = add_moving("b", {"--advertise=moving.test", "--worker.reattach_within=30s"});
  b.give("--bind=0.0.0.0:" + std::to_string(b.port()));
  b.start();
  b.wait_until_up();
  wait_for_nodes(a, 2);
  const std::string port = ":" + std::to_string(b.port());
  EXPECT_EQ(address_of(a, "b"), "127.0.0.1" + port);
  const auto job = submit(a, script("sleep 6"), 6);
  ASSERT_TRUE(eventually([&] { return started_count() == 6; }));
  const pid_t before = b.pid();
  set_host("127.0.0.2");
  b.signal(SIGHUP);
  EXPECT_TRUE(eventually([&] { return address_of(a, "b") == "127.0.0.2" + port; }))
      << address_of(a, "b") << b.log();
  EXPECT_EQ(::kill(before, 0), 0);
  EXPECT_EQ(finish(a, job)["done"], 6);
  expect_each_started_once(6);
  EXPECT_THAT(b.log(), HasSubstr("address_changed"));
  EXPECT_EQ(finish(b, submit(b, "true", 4))["done"], 4);
}

TEST_F(TimeAndNames, AMachineThatSleptBeyondItsLeasesComesBack) {
  TestAgent& a = add("a");
  TestAgent& b = add("b", {"--worker.reattach_within=30s"});
  wait_for_nodes(a, 2);
  const auto job = submit(a, script("sleep 5"), 8);
  const auto own = submit(b, "sleep 1; echo own", 2);
  ASSERT_TRUE(eventually([&] { return started_count() >= 6; }));
  // All that runs there, as of a machine that is suspended.
  std::vector<pid_t> asleep = {b.pid(), b.warden()};
  for (const auto& [task, pids] : started()) {
    for (const pid_t pid : pids) {
      std::string parent;
      std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
      std::string skipped;
      status >> skipped >> skipped >> skipped >> parent;
      if (parent == std::to_string(b.warden())) asleep.push_back(pid);
    }
  }
  EXPECT_GT(asleep.size(), 2u);
  for (const pid_t pid : asleep) ::kill(pid, SIGSTOP);
  // Longer than its tasks' leases (2 s), and than its frontend's (5 s).
  std::this_thread::sleep_for(8s);
  for (const pid_t pid : asleep) ::kill(pid, SIGCONT);
  EXPECT_EQ(finish(a, job)["done"], 8);
  EXPECT_EQ(finish(b, own)["done"], 2);
  wait_for_nodes(a, 2);
  wait_for_nodes(b, 2);
  EXPECT_TRUE(eventually([&] {
    for (const auto& [task, pids] : started()) {
      for (const pid_t pid : pids) {
        if (::kill(pid, 0) == 0) return false;
      }
    }
    return true;
  })) << "an attempt that was made again still runs";
  EXPECT_EQ(finish(a, submit(a, "true", 8))["done"], 8);
}

}  // namespace
}  // namespace dunlin::node
