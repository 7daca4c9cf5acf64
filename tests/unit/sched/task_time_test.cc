// SPDX-License-Identifier: MIT
#include "sched/task_time.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

TEST(MeanTaskTime, TheFirstSetsItAndLaterOnesCountASixtyFourth) {
  MeanTaskTime mean(7s);
  EXPECT_EQ(mean.value(), 7s);
  mean.learn(64s);
  EXPECT_EQ(mean.value(), 64s);
  mean.learn(128s);
  EXPECT_EQ(mean.value(), 65s);
}

TEST(MeanTaskTime, FollowsWhatItHears) {
  MeanTaskTime mean;
  mean.learn(1h);
  for (int i = 0; i < 1000; ++i) mean.learn(100ms);
  EXPECT_NEAR(std::chrono::duration<double>(mean.value()).count(), .1, .001);
}

TEST(MeanTaskTime, LeavesOutWhatNobodyToldAndIsNeverNothing) {
  MeanTaskTime mean(7s);
  mean.learn(0s);
  EXPECT_EQ(mean.value(), 7s);
  mean.learn(1us);
  EXPECT_EQ(mean.value(), 1ms);
  mean.learn(Duration::max());
  EXPECT_GT(mean.value(), 0s) << "a peer may claim any length";
}

}  // namespace
}  // namespace dunlin::sched
