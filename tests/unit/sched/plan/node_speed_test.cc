// SPDX-License-Identifier: MIT
#include "sched/plan/node_speed.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

NodeSpeed after(int tasks, Duration measured, Duration took, NodeSpeed speed = {}) {
  for (int i = 0; i < tasks; ++i) speed.learn(measured, took);
  return speed;
}

TEST(NodeSpeed, IsTheUsualOneUntilEnoughIsKnown) {
  EXPECT_EQ(NodeSpeed().thousandths(), kSpeedUsual);
  EXPECT_EQ(after(15, 2s, 1s).thousandths(), kSpeedUsual);
  EXPECT_EQ(after(16, 2s, 1s).thousandths(), 2000u);
  EXPECT_EQ(after(16, 1s, 4s).thousandths(), 250u);
}

TEST(NodeSpeed, FollowsANodeThatChanges) {
  const NodeSpeed fast = after(100, 2s, 1s);
  EXPECT_NEAR(after(400, 1s, 1s, fast).thousandths(), kSpeedUsual, 150);
}

TEST(NodeSpeed, ALittleMoreOrLessIsNoOtherSpeed) {
  const NodeSpeed fast = after(100, 2s, 1s);
  EXPECT_EQ(after(400, 2200ms, 1s, fast).thousandths(), 2000u);
  EXPECT_NE(after(400, 2600ms, 1s, fast).thousandths(), 2000u);
}

TEST(NodeSpeed, TasksOfUnknownOrNoLengthSayNothing) {
  EXPECT_EQ(after(100, 0s, 1s).thousandths(), kSpeedUsual);
  EXPECT_EQ(after(100, 1ms, 10ms).thousandths(), kSpeedUsual) << "that is the time of a start";
  EXPECT_EQ(after(100, 1s, 0s).thousandths(), kSpeedUsual);
  EXPECT_EQ(after(100, 1s, 1h).thousandths(), 100u);
}

}  // namespace
}  // namespace dunlin::sched
