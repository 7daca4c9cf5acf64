// SPDX-License-Identifier: MIT
#include "node/task/running_use.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

constexpr sched::Time kStart{100s};

TEST(RunningUses, TellsTheLastSampleOfEachTask) {
  RunningUses uses;
  const sched::TaskId task{.job = {.home = {1}, .number = 2}, .index = 3};
  uses.begin(7, task, 4, {.cpu = 500, .disk_read = 6}, kStart - 10s);
  uses.begin(8, task, 5, {}, kStart);
  uses.on_used({.id = 7, .cpu = 1'000'000'000, .memory = 9}, kStart + 1s);
  uses.on_used({.id = 7, .cpu = 2'000'000'000, .disk_written = 3, .has_disk = true}, kStart + 2s);
  uses.on_used({.id = 9, .cpu = 1}, kStart + 2s);
  auto list = uses.list(kStart + 5s);
  ASSERT_EQ(list.size(), 2u) << "of one that has ended nothing is kept";
  EXPECT_EQ(list[0].task, task);
  EXPECT_EQ(list[0].attempt, 4u);
  EXPECT_EQ(list[0].demand.disk_read, 6u);
  EXPECT_EQ(list[0].age, 15s) << "it was taken back from an earlier agent";
  EXPECT_TRUE(list[0].sampled);
  EXPECT_EQ(list[0].sampled_ago, 3s);
  EXPECT_EQ(list[0].cpu, 2s);
  EXPECT_EQ(list[0].disk_written, 3u);
  EXPECT_TRUE(list[0].has_disk);
  EXPECT_FALSE(list[1].sampled);
  EXPECT_EQ(list[1].cpu, 0s);
  uses.end(7);
  EXPECT_EQ(uses.list(kStart)[0].attempt, 5u);
  uses.clear();
  EXPECT_TRUE(uses.list(kStart).empty());
}

TEST(RunningUses, TellsOfOneTaskWhatItTookLately) {
  RunningUses uses;
  uses.begin(7, {.job = {.home = {1}, .number = 2}, .index = 3}, 4, {}, kStart);
  EXPECT_FALSE(uses.find(8, kStart));
  uses.on_used({.id = 7, .cpu = 1'000'000'000}, kStart + 2s);
  ASSERT_TRUE(uses.find(7, kStart + 2s));
  EXPECT_FALSE(uses.find(7, kStart + 2s)->cpu_lately) << "one sample is no rate";
  uses.on_used({.id = 7, .cpu = 4'000'000'000}, kStart + 4s);
  const auto use = uses.find(7, kStart + 5s);
  EXPECT_EQ(use->cpu_lately, 1500u) << "three seconds of CPU time in two";
  EXPECT_EQ(use->age, 5s);
  EXPECT_EQ(use->sampled_ago, 1s);
  uses.on_used({.id = 7, .cpu = 3'000'000'000}, kStart + 6s);
  EXPECT_EQ(uses.find(7, kStart + 6s)->cpu_lately, 0u) << "a counter that goes back tells nothing";
}

}  // namespace
}  // namespace dunlin::node
