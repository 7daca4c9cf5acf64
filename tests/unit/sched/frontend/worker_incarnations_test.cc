// SPDX-License-Identifier: MIT
#include "sched/frontend/worker_incarnations.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

TEST(WorkerIncarnations, TellOnceThatAWorkerRestarted) {
  WorkerIncarnations known;
  EXPECT_FALSE(known.restarted({1}, 5)) << "nothing was known of it";
  EXPECT_FALSE(known.restarted({1}, 5));
  EXPECT_TRUE(known.restarted({1}, 6));
  EXPECT_FALSE(known.restarted({1}, 6));
  EXPECT_FALSE(known.restarted({1}, 5)) << "a late message of the earlier one";
  EXPECT_FALSE(known.restarted({2}, 6));
}

}  // namespace
}  // namespace dunlin::sched
