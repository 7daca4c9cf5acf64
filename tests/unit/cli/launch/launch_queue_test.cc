// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/launch_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kLookDown =
    "dunlin:arch x\ndunlin:dir /d\ndunlin:free 9000000\ndunlin:key there\ndunlin:agent none\n";
constexpr const char* kLookUp =
    "dunlin:arch x\ndunlin:dir /d\ndunlin:free 9000000\ndunlin:key there\ndunlin:agent up\n"
    "dunlin:running old\ndunlin:address 10.0.0.1:7700\n";

RemoteResult told_result(const std::string& out) {
  return {.status = 0, .timed_out = false, .out = out, .err = ""};
}
RemoteResult refused_result() {
  return {.status = 255, .timed_out = false, .out = "", .err = "Connection refused"};
}

/// Hosts that need no programs, so that a look is followed by a start or a restart.
class LaunchQueueTest : public ::testing::Test {
 protected:
  LaunchQueue queue(LaunchVerb verb, std::size_t hosts, LaunchLimits limits) {
    terms.verb = verb;
    terms.programs.arch = "x";
    terms.programs.hash = "new";
    std::vector<HostLaunch> launches;
    for (std::size_t i = 0; i < hosts; ++i) {
      launches.emplace_back(terms, LaunchHost{.name = "n" + std::to_string(i)}, i);
    }
    return LaunchQueue(std::move(launches), limits);
  }
  /// All that may begin now.
  static std::vector<LaunchTask> all_due(LaunchQueue& queue) {
    std::vector<LaunchTask> tasks;
    while (auto task = queue.next()) tasks.push_back(std::move(*task));
    return tasks;
  }

  LaunchTerms terms;
};

TEST_F(LaunchQueueTest, SoManyHostsAreAtWorkAtOnce) {
  LaunchQueue launches = queue(LaunchVerb::status, 5, {.at_once = 2});
  EXPECT_EQ(all_due(launches).size(), 2u);
  launches.take(0, told_result(kLookDown));
  const auto more = all_due(launches);
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].host, 2u);
}

// Whatever the number at once: those that wait for the founder must not keep it from its turn.
TEST_F(LaunchQueueTest, OneHostFoundsTheClusterAfterAllWereLookedAt) {
  LaunchQueue launches = queue(LaunchVerb::launch, 4, {.at_once = 2});
  std::vector<std::size_t> started;
  for (int turn = 0; turn < 20 && !launches.finished(); ++turn) {
    for (const LaunchTask& task : all_due(launches)) {
      if (task.command.step == LaunchStep::probe) {
        EXPECT_TRUE(started.empty());
        launches.take(task.host, told_result(kLookDown));
        continue;
      }
      ASSERT_EQ(task.command.step, LaunchStep::start);
      const bool joins = task.command.script.find("--join=") != std::string::npos;
      EXPECT_EQ(joins, !started.empty()) << task.host;
      started.push_back(task.host);
      const std::string port = std::to_string(7700 + task.host);
      launches.take(task.host, told_result("dunlin:address 10.0.0.1:" + port + "\n"));
    }
  }
  EXPECT_TRUE(launches.finished());
  EXPECT_EQ(started.size(), 4u);
}

TEST_F(LaunchQueueTest, ANewClusterWaitsForNoMuteHost) {
  LaunchQueue launches = queue(LaunchVerb::launch, 3, {.fresh = true});
  ASSERT_EQ(all_due(launches).size(), 3u);
  launches.take(1, told_result(kLookDown));
  const auto founder = all_due(launches);
  ASSERT_EQ(founder.size(), 1u);
  EXPECT_EQ(founder[0].command.step, LaunchStep::start);
  launches.take(2, told_result(kLookDown));
  EXPECT_TRUE(all_due(launches).empty());
}

TEST_F(LaunchQueueTest, WhereAnAgentIsUpTheOthersJoinIt) {
  LaunchQueue launches = queue(LaunchVerb::launch, 2, {});
  all_due(launches);
  launches.take(0, told_result(kLookUp));
  launches.take(1, told_result(kLookDown));
  const auto start = all_due(launches);
  ASSERT_EQ(start.size(), 1u);
  EXPECT_THAT(start[0].command.script, HasSubstr("--join=10.0.0.1:7700"));
}

TEST_F(LaunchQueueTest, AFounderThatFailsIsFollowedByAnother) {
  LaunchQueue launches = queue(LaunchVerb::launch, 2, {});
  all_due(launches);
  for (const std::size_t host : {0u, 1u}) launches.take(host, told_result(kLookDown));
  auto due = all_due(launches);
  ASSERT_EQ(due.size(), 1u);
  launches.take(due[0].host, told_result("dunlin:fail no room\n"));
  const std::size_t first = due[0].host;
  due = all_due(launches);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_NE(due[0].host, first);
}

TEST_F(LaunchQueueTest, AnUpgradeGoesOneByOne) {
  LaunchQueue launches = queue(LaunchVerb::upgrade, 3, {});
  EXPECT_EQ(all_due(launches).size(), 3u);
  for (const std::size_t host : {0u, 1u, 2u}) launches.take(host, told_result(kLookUp));
  for (std::size_t host = 0; host < 3; ++host) {
    const auto due = all_due(launches);
    ASSERT_EQ(due.size(), 1u);
    EXPECT_EQ(due[0].command.step, LaunchStep::restart);
    launches.take(due[0].host, told_result("dunlin:running new\n"));
  }
  EXPECT_TRUE(launches.finished());
  EXPECT_EQ(launches.stopped_at(), "");
}

TEST_F(LaunchQueueTest, AnUpgradeEndsAtTheFirstThatDoesNotComeBack) {
  LaunchQueue launches = queue(LaunchVerb::upgrade, 4, {.restarts_at_once = 2});
  all_due(launches);
  launches.take(3, refused_result());
  for (const std::size_t host : {0u, 1u, 2u}) launches.take(host, told_result(kLookUp));
  ASSERT_EQ(all_due(launches).size(), 2u);
  launches.take(0, told_result("dunlin:fail it ended at once\n"));
  EXPECT_EQ(launches.stopped_at(), "n0");
  EXPECT_TRUE(all_due(launches).empty());
  EXPECT_FALSE(launches.finished());
  launches.take(1, told_result("dunlin:running new\n"));
  EXPECT_TRUE(launches.finished());
  EXPECT_EQ(launches.hosts()[1].phase(), HostPhase::done);
  EXPECT_THAT(launches.hosts()[2].report().problem, HasSubstr("since n0 did not come back"));
}

TEST_F(LaunchQueueTest, WhatIsAbandonedHasNoResult) {
  LaunchQueue launches = queue(LaunchVerb::launch, 2, {.at_once = 1});
  all_due(launches);
  launches.abandon("interrupted");
  EXPECT_FALSE(launches.finished());
  launches.take(0, told_result(kLookUp));
  EXPECT_TRUE(launches.finished());
  for (const HostLaunch& host : launches.hosts()) {
    EXPECT_EQ(host.report().problem, "interrupted");
  }
}

}  // namespace
}  // namespace dunlin::cli
