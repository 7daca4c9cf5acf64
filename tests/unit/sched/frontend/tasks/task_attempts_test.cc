// SPDX-License-Identifier: MIT
#include "sched/frontend/tasks/task_attempts.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

TEST(TaskAttempts, EachRecordAndEachRestartIsANumber) {
  TaskAttempts task;
  EXPECT_EQ(task.next(0), 1u);
  task.count_end(1, true);
  EXPECT_EQ(task.failures(), 1u);
  EXPECT_EQ(task.next(0), 2u);
  task.count_loss(2);
  EXPECT_EQ(task.losses(), 1u);
  EXPECT_EQ(task.next(0), 3u);
  EXPECT_EQ(task.next(4), 7u);
}

TEST(TaskAttempts, AStopIsNoFailure) {
  TaskAttempts task;
  task.count_end(1, false);
  EXPECT_EQ(task.failures(), 0u);
  EXPECT_EQ(task.losses(), 1u);
  EXPECT_EQ(task.ended(), 1u);
}

TEST(TaskAttempts, ALossThatTurnsOutToBeNoneCountsNoMore) {
  TaskAttempts task;
  task.count_loss(1);
  task.find_again(1);
  EXPECT_EQ(task, TaskAttempts());
  task.count_loss(1);
  task.count_end(1, true);
  EXPECT_EQ(task.losses(), 0u) << "one attempt, one record";
  EXPECT_EQ(task.failures(), 1u);
}

TEST(TaskAttempts, OnlyTheLastOneLostMayReturn) {
  TaskAttempts task;
  EXPECT_FALSE(task.may_return(1, 0)) << "nobody was given it";
  task.count_loss(1);
  EXPECT_TRUE(task.may_return(1, 0));
  task.count_loss(2);
  EXPECT_FALSE(task.may_return(1, 0)) << "another was made after it";
  EXPECT_TRUE(task.may_return(2, 0));
  EXPECT_FALSE(task.may_return(3, 0));
}

TEST(TaskAttempts, WhatEndedDoesNotReturn) {
  TaskAttempts task;
  task.count_end(1, true);
  EXPECT_FALSE(task.may_return(1, 0));
}

// A restart takes a number because bindings are not stored: any attempt below it may still run.
TEST(TaskAttempts, AfterARestartNumbersWithoutARecordMayReturn) {
  const TaskAttempts task(1, 1, 1, 2);
  EXPECT_EQ(task.next(2), 5u);
  EXPECT_FALSE(task.may_return(1, 2));
  for (std::uint32_t attempt = 2; attempt < 5; ++attempt) {
    EXPECT_TRUE(task.may_return(attempt, 2)) << attempt;
  }
  EXPECT_FALSE(task.may_return(5, 2));
}

TEST(TaskAttempts, ATaskThatRunsAgainBeginsAnewAndNumbersGoOn) {
  TaskAttempts task(2, 1, 2, 3);
  const std::uint32_t last = task.next(1);
  task.begin_again(last);
  EXPECT_EQ(task.failures(), 0u);
  EXPECT_GT(task.next(0), last);
  EXPECT_FALSE(task.may_return(last, 1)) << "none of those before comes back";
  EXPECT_FALSE(task.may_return(3, 1));
}

}  // namespace
}  // namespace dunlin::sched
