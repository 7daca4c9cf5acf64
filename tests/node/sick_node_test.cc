// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include "node/task/warden_process.h"
#include "node/warden/process_tree.h"
#include "tests/node/agent_world.h"

// Real nodes on which nothing can start, beside two that are well: no task fails for them.
namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const std::string kFastTrials = "--worker.trial_period=500ms";

class SickNode : public AgentWorld {
 protected:
  /// Agents a, b and c. The warden of b is a copy that the test may remove.
  void add_three() {
    const auto original = find_warden();
    ASSERT_TRUE(original) << original.error().text;
    warden_ = home + "/warden-of-b";
    original_ = *original;
    fs::copy_file(original_, warden_);
    add("a");
    agents.push_back(std::make_unique<TestAgent>("b", home + "/b", key,
        std::vector<std::string>{kFastTrials, "--join=" + agents[0]->address()}));
    agents[1]->in_child = [this] { ::setenv("DUNLIN_WARDEN", warden_.c_str(), 1); };
    agents[1]->start();
    agents[1]->wait_until_up();
    add("c");
    wait_for_nodes(*agents[0], 3);
  }
  /// kill -9 of the warden of b. True if there was one.
  bool kill_warden() {
    const std::vector<pid_t> children = children_of(agents[1]->pid());
    for (const pid_t child : children) ::kill(child, SIGKILL);
    return !children.empty();
  }
  /// b as a sees it.
  Json node_b() {
    const Json nodes = agents[0]->client().ok(request("nodes"))["nodes"];
    for (const Json& node : nodes) {
      if (node["name"] == "b") return node;
    }
    return Json::object();
  }
  bool becomes(const std::string& state) {
    return eventually([&] { return node_b().value("state", "") == state; });
  }
  void expect_all_done(std::uint32_t job, int count) {
    const Json counts = finish(*agents[0], job);
    EXPECT_EQ(counts.value("done", 0), count) << counts;
    EXPECT_EQ(counts.value("failed", 0), 0) << counts;
  }

  std::string original_;
  std::string warden_;
};

TEST_F(SickNode, AWardenThatIsGoneFailsNoneOf200Tasks) {
  add_three();
  fs::remove(warden_);
  ASSERT_TRUE(kill_warden());
  expect_all_done(submit(*agents[0], "true", 200), 200);
  ASSERT_TRUE(becomes("sick"));
  EXPECT_THAT(node_b().value("sick", ""), HasSubstr("no warden"));
  EXPECT_THAT(agents[1]->log(), HasSubstr("health_changed sick=true"));
  EXPECT_GE(agents[1]->client().ok(request("status"))["counters"]["event_health_changed"], 1);
  EXPECT_EQ(agents[1]->client().ok(request("status"))["state"], "sick");

  fs::copy_file(original_, warden_);
  ASSERT_TRUE(becomes("up")) << "a trial works";
  EXPECT_EQ(node_b().value("sick", "?"), "");
  expect_all_done(submit(*agents[0], "true", 50), 50);
}

TEST_F(SickNode, AReadOnlyOutputDirectoryFailsNoneOf200Tasks) {
  add_three();
  const std::string live = agents[1]->directory() + "/output/live";
  ASSERT_TRUE(fs::is_directory(live));
  const bool root = ::geteuid() == 0;
  if (root && ::mount("tmpfs", live.c_str(), "tmpfs", MS_RDONLY, "size=1m") != 0) {
    GTEST_SKIP() << "SKIPPED: cannot mount a read-only tmpfs here";
  }
  if (!root) fs::permissions(live, fs::perms::owner_read | fs::perms::owner_exec);
  expect_all_done(submit(*agents[0], "echo some output", 200), 200);
  EXPECT_TRUE(becomes("sick"));
  EXPECT_THAT(node_b().value("sick", ""), HasSubstr("cannot write output to"));
  if (root) ::umount2(live.c_str(), MNT_DETACH);
  if (!root) fs::permissions(live, fs::perms::owner_all);
  EXPECT_TRUE(becomes("up"));
}

TEST_F(SickNode, TheDeathOfAWardenCostsNoFailure) {
  add_three();
  const std::uint32_t job = submit(*agents[0], "sleep 0.1", 200);
  int deaths = 0;
  for (int i = 0; i < 5; ++i) {
    ::usleep(300'000);
    deaths += kill_warden() ? 1 : 0;
  }
  EXPECT_GE(deaths, 3);
  expect_all_done(job, 200);
}

TEST_F(SickNode, WhatAUserNamedMakesNoNodeSick) {
  add("a", {kFastTrials});
  const std::uint32_t job = submit(*agents[0], "true", 3, {{"directory", "/no/such/directory"}});
  const Json counts = finish(*agents[0], job);
  EXPECT_EQ(counts.value("failed", 0), 3) << counts;
  const Json failed = agents[0]->client().ok(request("job", {{"number", job}}));
  EXPECT_THAT(failed.dump(), HasSubstr("working directory '/no/such/directory'"));
  EXPECT_EQ(agents[0]->client().ok(request("status"))["counters"]["event_health_changed"], 0);
}

TEST_F(SickNode, AnOperatorsCommandJudges) {
  const std::string flag = home + "/full";
  add("a");
  add("b",
      {"--health=! test -e " + flag + " || { echo the disk is full; echo more; exit 3; }",
          "--health-period=200ms"});
  wait_for_nodes(*agents[0], 2);
  const std::uint32_t running = submit(*agents[0], "sleep 3", 8);
  ASSERT_TRUE(eventually(
      [&] { return agents[1]->client().ok(request("status"))["running"].get<int>() > 0; }));
  std::ofstream(flag) << "x";
  ASSERT_TRUE(becomes("sick"));
  EXPECT_EQ(node_b().value("sick", ""), "the disk is full");
  const Json explained = agents[0]->client().ok(request("explain", {{"number", running}}));
  EXPECT_THAT(explained["not_up"].dump(), HasSubstr("the disk is full"));
  expect_all_done(running, 8);
  fs::remove(flag);
  EXPECT_TRUE(becomes("up"));
}

}  // namespace
}  // namespace dunlin::node
