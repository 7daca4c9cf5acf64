// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <memory>
#include <sched.h>
#include <set>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/node/agent_world.h"

// A node has its name wherever people see it, also when it is down, and at agents that never met
// it.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

class NamesTest : public AgentWorld {
 protected:
  /// The names that `at` lists, and how it calls what is down.
  static std::set<std::string> names_at(TestAgent& at) {
    std::set<std::string> names;
    const Json reply = at.client().ok(request("nodes"));
    for (const Json& node : reply.at("nodes")) names.insert(node["name"]);
    return names;
  }
  static bool lists_all(TestAgent& at) {
    return names_at(at) == std::set<std::string>{"a", "b", "c"};
  }
};

TEST_F(NamesTest, TheDeadKeepTheirs) {
  for (const char* name : {"a", "b", "c"}) add(name);
  for (const auto& agent : agents) wait_for_nodes(*agent, 3);
  TestAgent& c = *agents[2];
  c.kill9();
  for (const std::size_t i : {0u, 1u}) EXPECT_TRUE(lists_all(*agents[i])) << agents[i]->name();
  // It begins anew, and hears of the dead one by gossip, if at all.
  TestAgent& b = *agents[1];
  b.signal(SIGUSR2);
  EXPECT_EQ(b.wait(), 0);
  b.start();
  b.wait_until_up();
  EXPECT_TRUE(eventually([&] {
    const auto names = names_at(b);
    return names.contains("a");
  }));
  for (int i = 0; i < 20; ++i) {
    for (const std::string& name : names_at(b)) EXPECT_LT(name.size(), 16u) << name;
    std::this_thread::sleep_for(100ms);
  }
}

TEST_F(NamesTest, AYoungNodeAsksForThem) {
  for (const char* name : {"a", "b", "c"}) add(name);
  for (const auto& agent : agents) wait_for_nodes(*agent, 3);
  agents[2]->kill9();
  // It never met the one that is down.
  TestAgent& d = add("d");
  const auto job = submit(*agents[0], "true", 1);
  EXPECT_EQ(finish(*agents[0], job)["done"], 1);
  EXPECT_TRUE(eventually([&] { return names_at(d).contains("a") && names_at(d).contains("b"); }));
  EXPECT_TRUE(eventually([&] {
    const auto names = names_at(d);
    return std::ranges::none_of(names, [](const std::string& name) { return name.size() == 16; });
  }));
}

// `5.3` would be task 3 of job 5.
TEST_F(NamesTest, AHostNameThatIsNoneOfANodeIsMendedAndSaid) {
  const int before = ::open("/proc/thread-self/ns/uts", O_RDONLY | O_CLOEXEC);
  if (::unshare(CLONE_NEWUTS) != 0) GTEST_SKIP() << "NOT TESTED: no host can be named here";
  const bool is_named = ::sethostname("5", 1) == 0;
  agents.push_back(
      std::make_unique<TestAgent>("a", home + "/a", key, std::vector<std::string>{"--name="}));
  TestAgent& agent = *agents.back();
  if (is_named) agent.start();
  EXPECT_EQ(::setns(before, CLONE_NEWUTS), 0);
  ::close(before);
  ASSERT_TRUE(is_named);
  agent.wait_until_up();
  EXPECT_EQ(agent.client().ok(request("status"))["name"], "node-5");
  EXPECT_THAT(agent.log(), ::testing::HasSubstr("name_mended hostname=5 name=node-5"));
}

}  // namespace
}  // namespace dunlin::node
