// SPDX-License-Identifier: MIT
#include "sched/frontend/worker_incarnations.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

bool loses_queue(WorkerIncarnations& known, std::uint32_t incarnation, std::uint32_t since) {
  return known.note({1}, incarnation, since).queue;
}
bool loses_tasks(WorkerIncarnations& known, std::uint32_t incarnation, std::uint32_t since) {
  return known.note({1}, incarnation, since).tasks;
}

TEST(WorkerIncarnations, TellOnceThatAWorkerRestarted) {
  WorkerIncarnations known;
  EXPECT_FALSE(loses_queue(known, 5, 5)) << "nothing was known of it";
  EXPECT_FALSE(loses_queue(known, 5, 5));
  EXPECT_TRUE(loses_queue(known, 6, 6));
  EXPECT_FALSE(loses_queue(known, 6, 6));
  EXPECT_FALSE(loses_queue(known, 5, 5)) << "a late message of the earlier one";
  EXPECT_FALSE(known.note({2}, 6, 6).queue) << "another one";
}

TEST(WorkerIncarnations, TellIfTheTasksWentToo) {
  WorkerIncarnations known;
  EXPECT_FALSE(loses_tasks(known, 5, 5));
  EXPECT_FALSE(loses_tasks(known, 6, 5)) << "it took them back";
  EXPECT_FALSE(loses_tasks(known, 9, 6)) << "it has those that it was last heard with";
  EXPECT_TRUE(loses_tasks(known, 10, 10));
  EXPECT_TRUE(loses_tasks(known, 13, 12)) << "those of 10 went before 12 began";
}

}  // namespace
}  // namespace dunlin::sched
