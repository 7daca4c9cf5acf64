// SPDX-License-Identifier: MIT
#include "sched/worker/follow_up.h"

#include <gtest/gtest.h>

#include "tests/support/solo.h"
#include "tests/unit/sched/worker/wired_parts.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::GetTask;
using sched::WorkerTimer;

class FollowUpTest : public Solo {
 protected:
  void dispatch() {
    auto now_turn = turn();
    parts.follow_up.dispatch(now_turn);
  }

  WiredParts parts;
};

TEST_F(FollowUpTest, WhatWaitsIsAskedForWhereThereIsRoom) {
  parts.wait(now, reserve_of(1));
  dispatch();
  EXPECT_EQ(out.only<GetTask>().job.number, 1u);
  EXPECT_TRUE(parts.queue.empty());
}

TEST_F(FollowUpTest, AClosedNodeAsksForNothing) {
  parts.slots.drain(true);
  parts.wait(now, reserve_of(1));
  dispatch();
  EXPECT_TRUE(out.sent.empty());
}

TEST_F(FollowUpTest, AnIdleWorkerWaitsForNothing) {
  parts.follow_up.schedule(now);
  EXPECT_EQ(parts.timers.earliest(), sched::kNever);
}

TEST_F(FollowUpTest, FrontendsHearOfTasksAgainWhateverElseHappensMeanwhile) {
  parts.run(turn(), reserve_of(1, 10s));
  parts.follow_up.schedule(now);
  const sched::Time due = now + parts.params.renew;
  EXPECT_EQ(parts.timers.at(WorkerTimer::renew), due);
  parts.follow_up.schedule(now + 1ms);
  EXPECT_EQ(parts.timers.at(WorkerTimer::renew), due);
}

TEST_F(FollowUpTest, AnotherPlanIsLookedAtInATurnOfItsOwn) {
  parts.follow_up.replan(now);
  EXPECT_GT(parts.timers.at(WorkerTimer::preempt), now);
  EXPECT_LT(parts.timers.at(WorkerTimer::preempt), now + 1ms);
  parts.follow_up.end_replan();
  parts.follow_up.schedule(now);
  EXPECT_EQ(parts.timers.at(WorkerTimer::preempt), sched::kNever);
}

}  // namespace
}  // namespace dunlin::test
