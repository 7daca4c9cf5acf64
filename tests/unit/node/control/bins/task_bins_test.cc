// SPDX-License-Identifier: MIT
#include "node/control/bins/task_bins.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using sched::TaskState;

std::uint32_t number_in(const TaskBins::Counts& counts, TaskState state) {
  return counts[static_cast<std::size_t>(state)];
}

TEST(TaskBins, CountByRangeAndState) {
  TaskBins bins(10, 4);
  ASSERT_EQ(bins.width(), 3u);
  ASSERT_EQ(bins.size(), 4u);
  for (std::uint32_t index = 0; index < 10; ++index) {
    bins.add(index, index < 4 ? TaskState::succeeded : TaskState::waiting);
  }
  EXPECT_EQ(number_in(bins.counts(0), TaskState::succeeded), 3u);
  EXPECT_EQ(number_in(bins.counts(1), TaskState::succeeded), 1u);
  EXPECT_EQ(number_in(bins.counts(1), TaskState::waiting), 2u);
  EXPECT_EQ(number_in(bins.sum(), TaskState::succeeded), 4u);
  EXPECT_EQ(number_in(bins.sum(), TaskState::waiting), 6u);
  const Json told = bins.json();
  EXPECT_EQ(told[1]["first"], 3);
  EXPECT_EQ(told[1]["last"], 5);
  EXPECT_EQ(told[1]["counts"]["done"], 1);
  EXPECT_EQ(told[1]["counts"]["cancelling"], 0);
  EXPECT_EQ(told[3]["first"], 9);
  EXPECT_EQ(told[3]["last"], 9) << "the last one may be narrower";
}

// However many tasks and ranges there are, each task is in one range, and ranges follow each other.
TEST(TaskBins, RangesHaveEachTaskOnce) {
  for (const std::uint32_t tasks : {1u, 2u, 99u, 100u, 101u, 999u, 1000u, 1001u, 50'000u}) {
    for (const std::uint32_t bins_max : {1u, 2u, 3u, 100u, 1000u}) {
      SCOPED_TRACE(std::to_string(tasks) + " in " + std::to_string(bins_max));
      TaskBins bins(tasks, bins_max);
      ASSERT_LE(bins.size(), bins_max);
      for (std::uint32_t index = 0; index < tasks; ++index) bins.add(index, TaskState::launched);
      EXPECT_EQ(number_in(bins.sum(), TaskState::launched), tasks);
      std::uint32_t next = 0;
      for (const Json& bin : bins.json()) {
        EXPECT_EQ(bin["first"], next);
        const auto last = bin["last"].get<std::uint32_t>();
        ASSERT_GE(last, next);
        EXPECT_EQ(bin["counts"]["running"], last - next + 1);
        next = last + 1;
      }
      EXPECT_EQ(next, tasks);
    }
  }
}

TEST(TaskBins, AJobWithoutTasksHasNone) {
  const TaskBins bins(0, 10);
  EXPECT_EQ(bins.size(), 0u);
  EXPECT_TRUE(bins.json().empty());
}

TEST(TaskBins, TheLargestNumberOfTasksIsNoOverflow) {
  const TaskBins bins(UINT32_MAX, 1000);
  ASSERT_LE(bins.size(), 1000u);
  EXPECT_EQ(bins.json().back()["last"], UINT32_MAX - 1);
}

}  // namespace
}  // namespace dunlin::node
