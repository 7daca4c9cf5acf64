// SPDX-License-Identifier: MIT
#include "sched/frontend/workers/worker_incarnations.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

bool loses_queue(WorkerIncarnations& known, std::uint32_t incarnation, std::uint32_t since) {
  return known.note(Time{}, {1}, incarnation, since).queue;
}
bool loses_tasks(WorkerIncarnations& known, std::uint32_t incarnation, std::uint32_t since) {
  return known.note(Time{}, {1}, incarnation, since).tasks;
}

TEST(WorkerIncarnations, TellOnceThatAWorkerRestarted) {
  WorkerIncarnations known;
  EXPECT_FALSE(loses_queue(known, 5, 5)) << "nothing was known of it";
  EXPECT_FALSE(loses_queue(known, 5, 5));
  EXPECT_TRUE(loses_queue(known, 6, 6));
  EXPECT_FALSE(loses_queue(known, 6, 6));
  EXPECT_FALSE(loses_queue(known, 5, 5)) << "a late message of the earlier one";
  EXPECT_FALSE(known.note(Time{}, {2}, 6, 6).queue) << "another one";
}

TEST(WorkerIncarnations, TellIfTheTasksWentToo) {
  WorkerIncarnations known;
  EXPECT_FALSE(loses_tasks(known, 5, 5));
  EXPECT_FALSE(loses_tasks(known, 6, 5)) << "it took them back";
  EXPECT_FALSE(loses_tasks(known, 9, 6)) << "it has those that it was last heard with";
  EXPECT_TRUE(loses_tasks(known, 10, 10));
  EXPECT_TRUE(loses_tasks(known, 13, 12)) << "those of 10 went before 12 began";
}

TEST(WorkerIncarnations, TellForHowLongALaterOneIsThere) {
  using namespace std::chrono_literals;
  WorkerIncarnations known;
  known.note(Time{10s}, {1}, 5, 5);
  EXPECT_FALSE(known.superseded(Time{20s}, {1}, 5, 3s));
  known.hear(Time{20s}, {1}, 6);
  EXPECT_FALSE(known.superseded(Time{22s}, {1}, 5, 3s)) << "it may not have had time to confirm";
  known.hear(Time{22s}, {1}, 6);
  EXPECT_TRUE(known.superseded(Time{23s}, {1}, 5, 3s));
  EXPECT_FALSE(known.superseded(Time{23s}, {1}, 6, 3s));
  EXPECT_FALSE(known.superseded(Time{23s}, {2}, 5, 3s));
  EXPECT_TRUE(known.note(Time{24s}, {1}, 6, 6).tasks) << "gossip did not say that tasks went";
}

}  // namespace
}  // namespace dunlin::sched
