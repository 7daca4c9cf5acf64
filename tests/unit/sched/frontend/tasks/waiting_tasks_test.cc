// SPDX-License-Identifier: MIT
#include "sched/frontend/tasks/waiting_tasks.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

constexpr auto kAll = [](std::uint32_t) { return true; };

TEST(WaitingTasks, ComeByIndexAndThoseToAttemptAgainFirst) {
  WaitingTasks tasks(3, 6);
  EXPECT_EQ(tasks.pop(kAll), 3u);
  EXPECT_EQ(tasks.pop(kAll), 4u);
  tasks.push(4);
  tasks.push(3);
  EXPECT_EQ(tasks.pop(kAll), 4u) << "it has waited longer";
  EXPECT_EQ(tasks.pop(kAll), 3u);
  EXPECT_EQ(tasks.pop(kAll), 5u);
  EXPECT_FALSE(tasks.pop(kAll));
}

TEST(WaitingTasks, ThoseThatWaitNoMoreArePassedOver) {
  WaitingTasks tasks(0, 4);
  EXPECT_EQ(tasks.pop(kAll), 0u);
  tasks.push(0);
  EXPECT_EQ(tasks.pop([](std::uint32_t index) { return index == 2; }), 2u);
  EXPECT_FALSE(tasks.holds(0));
  EXPECT_FALSE(tasks.holds(1));
  EXPECT_TRUE(tasks.holds(3));
}

TEST(WaitingTasks, ThoseThatDoNotSuitKeepTheirPlaces) {
  WaitingTasks tasks(0, 4);
  for (int i = 0; i < 3; ++i) tasks.pop(kAll);
  for (std::uint32_t i = 0; i < 3; ++i) tasks.push(i);
  EXPECT_EQ(tasks.pop(kAll, [](std::uint32_t index) { return index == 1; }), 1u);
  EXPECT_FALSE(tasks.pop(kAll, [](std::uint32_t) { return false; }));
  EXPECT_EQ(tasks.pop(kAll), 0u);
  EXPECT_EQ(tasks.pop(kAll), 2u);
  EXPECT_EQ(tasks.pop(kAll), 3u) << "it was offered once";
}

// Thousands may stay for other nodes: a question passes over some, the next one over others.
TEST(WaitingTasks, AQuestionLooksAtSomeOfManyThatDoNotSuit) {
  constexpr std::uint32_t kMany = 3 * WaitingTasks::kAgainLooks;
  for (const bool again_only : {false, true}) {
    WaitingTasks tasks(0, kMany);
    for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(tasks.pop(kAll), i);
    for (std::uint32_t i = 0; i < kMany; ++i) tasks.push(i);
    const auto is_last = [&](std::uint32_t index) { return index == kMany - 1; };
    std::size_t looks = 0;
    const auto counted = [&](std::uint32_t index) {
      ++looks;
      return is_last(index);
    };
    const auto ask = [&] {
      looks = 0;
      return again_only ? tasks.pop_again(counted) : tasks.pop(kAll, counted);
    };
    EXPECT_FALSE(ask());
    EXPECT_EQ(looks, WaitingTasks::kAgainLooks);
    EXPECT_FALSE(ask());
    EXPECT_EQ(ask(), kMany - 1);
    EXPECT_EQ(tasks.pop(kAll), 2 * WaitingTasks::kAgainLooks) << "the others waited longer";
  }
}

TEST(WaitingTasks, HoldWhatPopWillComeTo) {
  WaitingTasks tasks(1, 3);
  EXPECT_FALSE(tasks.holds(0));
  EXPECT_TRUE(tasks.holds(1));
  EXPECT_FALSE(tasks.holds(3));
  tasks.pop(kAll);
  EXPECT_FALSE(tasks.holds(1));
  tasks.push(1);
  EXPECT_TRUE(tasks.holds(1));
}

}  // namespace
}  // namespace dunlin::sched
