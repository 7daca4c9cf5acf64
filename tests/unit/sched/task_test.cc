// SPDX-License-Identifier: MIT
#include "sched/task.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

TEST(TaskState, AFinalStateIsLeftOnlyToRunAgain) {
  for (std::size_t from = 0; from < kTaskStates; ++from) {
    for (std::size_t to = 0; to < kTaskStates; ++to) {
      if (!is_final(static_cast<TaskState>(from))) continue;
      EXPECT_EQ(kMayBecome[from][to], static_cast<TaskState>(to) == TaskState::waiting);
    }
  }
}

TEST(TaskState, NothingBecomesWhatItIs) {
  for (std::size_t i = 0; i < kTaskStates; ++i) EXPECT_FALSE(kMayBecome[i][i]);
}

TEST(TaskState, ACancelledTaskMustBeSeenDeadFirst) {
  EXPECT_FALSE(may_become(TaskState::launched, TaskState::cancelled));
  EXPECT_TRUE(may_become(TaskState::launched, TaskState::cancelling));
  EXPECT_TRUE(may_become(TaskState::cancelling, TaskState::cancelled));
}

TEST(ShellStatus, IsWhatAShellWouldShow) {
  EXPECT_EQ(shell_status(Outcome::exited, 3), 3);
  EXPECT_EQ(shell_status(Outcome::signalled, 9), 137);
  EXPECT_EQ(shell_status(Outcome::not_found, 2), 127);
  EXPECT_EQ(shell_status(Outcome::not_executable, 13), 126);
  EXPECT_EQ(shell_status(Outcome::time_limit, 15), 124);
  EXPECT_EQ(shell_status(Outcome::out_of_memory, 9), 137);
}

}  // namespace
}  // namespace dunlin::sched
