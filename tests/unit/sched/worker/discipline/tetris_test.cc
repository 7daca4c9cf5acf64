// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/tetris.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::QueuedReservation;
using sched::Time;

class TetrisTest : public ::testing::Test {
 protected:
  QueuedReservation weighed(const sched::Reserve& reserve, sched::Duration born = 0s) const {
    QueuedReservation waiting = sched::arriving(reserve, Time{born});
    discipline.weigh(waiting);
    return waiting;
  }

  sched::WorkerParams params;
  sched::Resources node{.cpu = 4000, .memory = 1000, .custom = {}};
  sched::TetrisDiscipline discipline{params, node};
};

TEST_F(TetrisTest, CountsWorkOverAllResourcesInNodeSeconds) {
  sched::Reserve reserve = reserve_of(1, 10s);
  reserve.demand = {.cpu = 1000, .memory = 500, .custom = {}};
  EXPECT_DOUBLE_EQ(weighed(reserve).left, 7.5);
  EXPECT_FALSE(weighed(reserve).held) << "not told";
}

TEST_F(TetrisTest, AExtentKnowsMoreThanOneReservation) {
  sched::Reserve reserve = reserve_of(1, 10s);
  reserve.extent.resize(1);
  reserve.extent[0].work.cpu = 4000 * 2000;  // The whole node for 2 s.
  reserve.extent[0].work.memory = 1000 * 500;
  reserve.extent[0].held.cpu = 1000;
  reserve.extent[0].held.memory = 3000;
  EXPECT_DOUBLE_EQ(weighed(reserve).left, 2.5);
  EXPECT_EQ(weighed(reserve).held, 3.0);
}

TEST_F(TetrisTest, WaitingAndPriorityMakeItSeemLess) {
  sched::Reserve reserve = reserve_of(1, 10s);
  const double left = weighed(reserve).left;
  const sched::ServiceMoment at(Time{80s}, 10s);
  EXPECT_DOUBLE_EQ(discipline.work_left(weighed(reserve), at), left / 2) << "patience is 8 tasks";
  reserve.priority += 2;
  EXPECT_DOUBLE_EQ(weighed(reserve).left, left / 2);
}

TEST_F(TetrisTest, TheOrderIsThatOfTheWorkLeftThenOfSubmission) {
  const sched::ServiceMoment at(Time{1s});
  const QueuedReservation shorter = weighed(reserve_of(2, 1s));
  const QueuedReservation longer = weighed(reserve_of(1, 9s));
  EXPECT_TRUE(discipline.before(shorter, longer, at));
  EXPECT_FALSE(discipline.before(longer, shorter, at));
  const QueuedReservation equal = weighed(reserve_of(3, 1s));
  EXPECT_TRUE(discipline.before(shorter, equal, at));
  EXPECT_FALSE(discipline.before(equal, shorter, at));
}

TEST_F(TetrisTest, OthersOvertakeItForTwoTasksSinceItCameOrGotOne) {
  QueuedReservation waiting = weighed(reserve_of(1, 10s));
  waiting.born = Time{};
  waiting.overtaken = Time{100s};
  EXPECT_FALSE(discipline.keeps_room_for(waiting, {Time{160s}, 30s}));
  EXPECT_TRUE(discipline.keeps_room_for(waiting, {Time{161s}, 30s}));
  EXPECT_FALSE(discipline.keeps_room_for(waiting, {Time{105s}, 1s})) << "`overtake` is longer";
  EXPECT_TRUE(discipline.keeps_room_for(waiting, {Time{106s}, 1s}));
}

TEST_F(TetrisTest, ForMoreThanOneNodeTimesCount) {
  const sched::TetrisDiscipline for_many(params, {});
  QueuedReservation waiting = sched::arriving(reserve_of(1, 10s), Time{});
  for_many.weigh(waiting);
  EXPECT_DOUBLE_EQ(waiting.left, 10);
}

}  // namespace
}  // namespace dunlin::test
