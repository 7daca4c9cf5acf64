// SPDX-License-Identifier: MIT
#include "node/agent/tracking/use_rates.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMegabyte = 1 << 20;

class UseRatesTest : public ::testing::Test {
 protected:
  /// A second later the node has written so much in all.
  std::optional<sched::Measured> look(
      std::uint64_t written, const std::vector<RunningUse>& tasks = {}) {
    now += 1s;
    cpu += 1500ms;
    return rates.look(now,
        {.cpu = cpu, .memory = 3000, .disk = Flow{.in = 0, .out = written}, .net = std::nullopt},
        tasks);
  }
  static RunningUse task(sched::Duration age, sched::Duration sampled_ago, std::uint64_t written) {
    return {.task = {{}, 4},
        .attempt = 1,
        .age = age,
        .sampled = true,
        .sampled_ago = sampled_ago,
        .cpu = age / 2,
        .disk_written = written,
        .has_disk = true};
  }

  UseRates rates{{.cpu = 500, .memory = 1000, .custom = {}}};
  sched::Time now{};
  std::chrono::nanoseconds cpu{0};
};

TEST_F(UseRatesTest, ANodeUsesTheDifferenceOfTwoLooks) {
  EXPECT_FALSE(look(100 * kMegabyte)) << "there is nothing to compare";
  const auto used = look(120 * kMegabyte);
  ASSERT_TRUE(used);
  EXPECT_EQ(used->node.disk_write, 20u * 1024);
  EXPECT_EQ(used->node.cpu, 1000u) << "1.5 CPUs, of which half a one is not offered";
  EXPECT_EQ(used->node.memory, 2000u);
  EXPECT_EQ(used->node.net_in, 0u) << "nobody tells";
}

TEST_F(UseRatesTest, ACounterThatGoesBackTellsNothing) {
  look(100 * kMegabyte);
  EXPECT_EQ(look(5 * kMegabyte)->node.disk_write, 0u);
  EXPECT_EQ(look(6 * kMegabyte)->node.disk_write, 1024u);
}

TEST_F(UseRatesTest, ATaskUsesTheDifferenceOfItsSamples) {
  look(0, {task(1s, 200ms, 8 * kMegabyte)});
  auto used = look(0, {task(2s, 200ms, 18 * kMegabyte)});
  ASSERT_EQ(used->tasks.size(), 1u);
  EXPECT_EQ(used->tasks[0].use.disk_write, 10u * 1024);
  EXPECT_EQ(used->tasks[0].use.cpu, 500u);
  EXPECT_TRUE(used->tasks[0].has_disk);
  EXPECT_FALSE(used->tasks[0].has_net);
  used = look(0, {task(3s, 1200ms, 18 * kMegabyte)});
  EXPECT_EQ(used->tasks[0].use.disk_write, 10u * 1024) << "no sample since: it holds";
}

TEST_F(UseRatesTest, OneThatWasNeverSampledIsNotKnown) {
  RunningUse unknown = task(1s, 0s, 0);
  unknown.sampled = false;
  look(0, {unknown});
  EXPECT_TRUE(look(0, {unknown})->tasks.empty());
}

// Its warden died, say: then its demand counts.
TEST_F(UseRatesTest, ASampleHoldsForAFewLooks) {
  sched::Duration age = 1s;
  look(0, {task(age, 0s, 8 * kMegabyte)});
  std::size_t known = 0;
  for (int i = 1; i < 20; ++i) {
    known += look(0, {task(age + i * 1s, i * 1s, 8 * kMegabyte)})->tasks.size();
  }
  EXPECT_GT(known, 2u);
  EXPECT_LT(known, 10u);
  age += 20s;
  EXPECT_EQ(look(0, {task(age, 0s, 8 * kMegabyte)})->tasks.size(), 1u) << "it tells again";
}

// Tasks of milliseconds never are, and end between two looks.
TEST_F(UseRatesTest, WhatTasksUsedThatHaveEndedIsNoUseByOthers) {
  look(0, {task(1s, 0s, 4 * kMegabyte)});
  sched::Report sampled{.index = 4, .attempt = 1, .cpu = 700ms};
  sampled.use.disk_written = 10 * kMegabyte;
  sched::Report brief{.index = 5, .attempt = 1, .cpu = 300ms};
  brief.use.disk_written = 2 * kMegabyte;
  rates.on_end({}, sampled);
  rates.on_end({}, brief);
  const auto used = look(30 * kMegabyte);
  EXPECT_EQ(used->node.disk_write, (30u - 6 - 2) * 1024);
  EXPECT_EQ(used->node.cpu, 1500u - 200 - 300 - 500);
  EXPECT_EQ(look(31 * kMegabyte)->node.disk_write, 1024u);
}

}  // namespace
}  // namespace dunlin::node
