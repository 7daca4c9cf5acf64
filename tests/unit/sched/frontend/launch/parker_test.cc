// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/parker.h"

#include <gmock/gmock.h>

#include "tests/unit/sched/frontend/launch/launch_stage.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ParkerTest : public LaunchStage {
 protected:
  ParkerTest() {
    tell(1, 0);
    tell(2, 0);
  }
  bool park(const sched::JobState& job) { return parker.park(masters_turn(), master, job, prober); }
  bool served(const sched::JobState& job, std::size_t tasks) {
    return parker.served(now, job, 0, tasks);
  }
  static void bind(sched::JobState& job, std::size_t tasks, sched::Time now) {
    for (std::size_t i = 0; i < tasks; ++i) ASSERT_TRUE(job.bind(0, node(5), 1, now));
  }

  sched::Prober prober{params, node(99)};
  sched::Parker parker{federation, {}};
};

TEST_F(ParkerTest, TellsEachLocalMasterOnceInAHeartbeat) {
  const auto job = submitted(4);
  EXPECT_TRUE(park(job)) << "it need not be sought otherwise";
  ASSERT_THAT(parked(), SizeIs(2));
  EXPECT_EQ(parked()[0].reserve.tasks_max, 4u);
  EXPECT_EQ(parked()[0].reserve.probe, parked()[1].reserve.probe);
  EXPECT_EQ(out.sent[0].first.id, node(11).id);
  park(job);
  EXPECT_THAT(parked(), SizeIs(2));
  now += federation.heartbeat;
  tell(1, 0);
  tell(2, 0);
  park(job);
  EXPECT_THAT(parked(), SizeIs(4)) << "a word may have been lost";
}

TEST_F(ParkerTest, WhatGetsNothingForASecondIsSoughtOtherwise) {
  const auto job = submitted(4);
  EXPECT_TRUE(park(job));
  now += 1s;
  EXPECT_FALSE(park(job));
  served(job, 1);
  EXPECT_TRUE(park(job));
}

// No row tells of the room that is kept for short tasks.
TEST_F(ParkerTest, WhatMayHaveTheExpressShareIsSoughtOtherwiseAtOnce) {
  sched::WorkerParams worker;
  worker.express_share = 0.1;
  worker.express_limit = 10s;
  for (const auto length : {10s, 11s}) {
    sched::Parker each(federation, worker);
    sched::TaskGroup group = tasks(2);
    group.duration = length;
    sched::Job made = job_of(group);
    made.id = {.home = node(99).id, .number = 1};
    out.clear();
    const bool rests = each.park(masters_turn(), master, sched::JobState(made, now), prober);
    EXPECT_EQ(rests, length > worker.express_limit);
    EXPECT_THAT(parked(), SizeIs(2));
  }
}

TEST_F(ParkerTest, WithoutTheParameterNothingIsParked) {
  federation.park = false;
  EXPECT_FALSE(park(submitted(4)));
  EXPECT_THAT(parked(), IsEmpty());
}

TEST_F(ParkerTest, TellsAgainWhenHalfOfTheRoomsAreUsedUp) {
  auto job = submitted(200);
  park(job);
  EXPECT_EQ(parked()[0].reserve.tasks_max, 64u);
  out.clear();
  bind(job, 31, now);
  EXPECT_FALSE(served(job, 31));
  bind(job, 1, now);
  EXPECT_TRUE(served(job, 1)) << "room for half of the 64 was offered, and there are more";
  park(job);
  EXPECT_THAT(parked(), SizeIs(2));
}

TEST_F(ParkerTest, TellsAgainWhenHalfAsMuchIsLeft) {
  auto job = submitted(10);
  park(job);
  out.clear();
  bind(job, 4, now);
  EXPECT_FALSE(served(job, 4));
  bind(job, 1, now);
  EXPECT_TRUE(served(job, 1)) << "it stands before others now";
}

TEST_F(ParkerTest, TakesBackWhatDoesNotWait) {
  auto job = submitted(2);
  park(job);
  out.clear();
  bind(job, 2, now);
  parker.withdraw_idle(masters_turn(), master, job);
  ASSERT_THAT(parked(), SizeIs(2));
  EXPECT_EQ(parked()[0].reserve.tasks_max, 0u);
  out.clear();
  parker.withdraw_idle(masters_turn(), master, job);
  EXPECT_THAT(parked(), IsEmpty());
}

TEST_F(ParkerTest, TheNextLocalMasterIsToldAtOnce) {
  const auto job = submitted(2);
  park(job);
  out.clear();
  tell(1, 0, 2);
  park(job);
  ASSERT_THAT(parked(), SizeIs(1));
  EXPECT_EQ(parked()[0].epoch, 2u);
}

TEST_F(ParkerTest, NewTermsAreToldAtOnce) {
  const auto job = submitted(2);
  park(job);
  out.clear();
  parker.renew(job);
  park(job);
  EXPECT_THAT(parked(), SizeIs(2));
}

TEST_F(ParkerTest, LeavesGangsAlone) {
  sched::TaskGroup group = tasks(2);
  group.gang = true;
  sched::Job made = job_of(group);
  made.id = {.home = node(99).id, .number = 1};
  park(sched::JobState(made, now));
  EXPECT_THAT(parked(), IsEmpty());
}

}  // namespace
}  // namespace dunlin::test
