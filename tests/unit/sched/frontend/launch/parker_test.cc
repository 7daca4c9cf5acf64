// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/parker.h"

#include <gmock/gmock.h>
#include <map>

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
  EXPECT_NE(parked()[0].cell, parked()[1].cell);
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

// No master launches what never runs twice, so none is told of it, and workers are asked.
TEST_F(ParkerTest, WhatNeverRunsTwiceIsSoughtOtherwise) {
  sched::Job made = job_of(tasks(4));
  made.id = {.home = node(99).id, .number = 1};
  made.rerun = sched::Rerun::never;
  EXPECT_FALSE(park(sched::JobState(made, now)));
  EXPECT_THAT(parked(), IsEmpty());
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
  bind(job, 63, now);
  EXPECT_FALSE(served(job, 63));
  bind(job, 1, now);
  EXPECT_TRUE(served(job, 1)) << "half of the 128 rooms are used up, and there are more tasks";
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

// Its user raised its priority: it waits at local masters as if it had come with that.
TEST_F(ParkerTest, NewTermsAreToldAtTheNextTurnAndUnderAnotherNumber) {
  auto job = submitted(4);
  park(job);
  const std::uint32_t before = parked()[0].reserve.probe;
  out.clear();
  job.change({.held = {}, .terms = {.priority = 90}});
  park(job);
  EXPECT_THAT(parked(), IsEmpty()) << "each was told a moment ago";
  parker.renew(job);
  park(job);
  ASSERT_THAT(parked(), SizeIs(2));
  for (const auto& told : parked()) {
    EXPECT_EQ(told.reserve.priority, 90);
    EXPECT_NE(told.reserve.probe, before);
  }
}

// Two rooms a task by default, at all local masters together: more would stay empty for a while.
TEST_F(ParkerTest, LocalMastersTogetherOfferLittleMoreRoomThanThereAreTasks) {
  for (std::uint64_t cell = 3; cell <= 8; ++cell) tell(cell, 0);
  auto job = submitted(12);
  park(job);
  ASSERT_THAT(parked(), SizeIs(8));
  for (const sched::Park& each : parked()) EXPECT_EQ(each.reserve.tasks_max, 3u);
  out.clear();
  bind(job, 9, now);
  ASSERT_TRUE(served(job, 9));
  park(job);
  std::map<std::uint16_t, int> told;
  for (const sched::Park& each : parked()) ++told[each.reserve.tasks_max];
  EXPECT_EQ(told, (std::map<std::uint16_t, int>{{0, 2}, {1, 6}})) << "two are of no use any more";
  out.clear();
  federation.park_ratio = 4;
  parker.renew(job);
  park(job);
  EXPECT_THAT(parked(), SizeIs(8));
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
