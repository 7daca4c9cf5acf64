// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/class_dispatcher.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

// Single decisions by class. Shares in the long run: see worker_classes_test.cc.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::ClassId;
using sched::GetTask;
using sched::Reserve;
using sched::Tickets;

/// A node of four CPUs, first come first served. Classes 1 and 2 have half of it each.
class ClassDispatcherTest : public Solo {
 protected:
  static sched::WorkerParams fifo() {
    sched::WorkerParams params;
    params.discipline = sched::DisciplineName::fifo;
    params.overtake = 5s;
    return params;
  }
  ClassDispatcherTest() {
    tally.set_tickets(now, std::vector<std::pair<ClassId, Tickets>>{{1, 2000}, {2, 2000}});
  }
  static Reserve of_class(ClassId class_id, std::uint32_t number, std::uint16_t tasks = 1) {
    Reserve reserve = reserve_of(number);
    reserve.class_id = class_id;
    reserve.tasks_max = tasks;
    return reserve;
  }
  void wait(const Reserve& reserve) { parts.wait(now, reserve); }
  std::vector<GetTask> dispatched() {
    out.clear();
    auto now_turn = turn();
    dispatcher.dispatch(now_turn);
    return out.all<GetTask>();
  }

  LooseParts parts{4000, fifo()};
  sched::ClassTally tally{now, parts.all};
  sched::ClassDispatcher dispatcher{parts.all, tally};
};

TEST_F(ClassDispatcherTest, DealsOutFreeSlotsOneByOne) {
  wait(of_class(1, 1, 64));
  wait(of_class(2, 2, 64));
  const auto asked = dispatched();
  ASSERT_EQ(asked.size(), 2u) << "one question for each, not for each slot";
  EXPECT_EQ(asked[0].room, 2u);
  EXPECT_EQ(asked[1].room, 2u);
}

TEST_F(ClassDispatcherTest, AClassGetsAllThatNoOtherWants) {
  wait(of_class(1, 1, 64));
  wait(of_class(2, 2, 1));
  const auto asked = dispatched();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].room, 3u);
  EXPECT_EQ(asked[1].room, 1u);
}

TEST_F(ClassDispatcherTest, TheClassThatIsDueGoesFirstThenTheDiscipline) {
  parts.run(turn(), of_class(1, 9), 0);
  now += 1s;
  wait(of_class(1, 1));
  now += 1s;
  wait(of_class(2, 2));
  wait(of_class(2, 3));
  ASSERT_TRUE(dispatcher.choose(now));
  EXPECT_EQ(parts.queue[*dispatcher.choose(now)].reserve.job.number, 2u);
}

// Otherwise slots that fall free during a round trip would all go to other classes.
TEST_F(ClassDispatcherTest, AJobThatIsDueIsAskedASecondTimeAndNoThird) {
  parts.slots.hold(now, footprint(of_class(2, 9)), 3);
  wait(of_class(1, 1, 64));
  const auto first = dispatched();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_FALSE(dispatcher.choose(now)) << "nothing waits here";
  parts.slots.release(now, footprint(of_class(2, 9)));
  const auto second = dispatched();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].job, first[0].job);
  EXPECT_NE(second[0].request, first[0].request);
  // The answer to the first says that nothing is left: no more questions.
  parts.requests.take(now, node(99), answer_to(first[0], {}));
  EXPECT_TRUE(dispatched().empty());
}

TEST_F(ClassDispatcherTest, AnotherClassOvertakesForAWhileThenRoomIsKept) {
  parts.slots.hold(now, footprint(of_class(2, 9)), 1);
  Reserve large = of_class(1, 1);
  large.demand.cpu = 4000;
  wait(large);
  now += 5s;
  wait(of_class(2, 2));
  EXPECT_EQ(dispatcher.choose(now), 1u);
  now += 1ms;
  EXPECT_FALSE(dispatcher.choose(now));
  // Room is kept of what it lacks alone.
  Reserve other = of_class(2, 3);
  other.demand.cpu = 0;
  wait(other);
  EXPECT_EQ(dispatcher.choose(now), std::nullopt) << "the first of class 2 is in the way still";
  parts.queue.take(1);
  EXPECT_EQ(dispatcher.choose(now), 1u);
}

TEST_F(ClassDispatcherTest, AWalkEndsWhereItsClassLacksItsShareAndDoesNotWait) {
  EXPECT_TRUE(dispatcher.ends_walk(of_class(1, 1, 64)));
  EXPECT_FALSE(dispatcher.ends_walk(of_class(1, 1, 15))) << "a small job looks further";
  wait(of_class(1, 2));
  EXPECT_FALSE(dispatcher.ends_walk(of_class(1, 1, 64))) << "its class waits here already";
  parts.slots.hold(now, footprint(of_class(2, 9)), 2);
  EXPECT_FALSE(dispatcher.ends_walk(of_class(2, 3, 64))) << "this class has its share";
}

TEST_F(ClassDispatcherTest, AWalkGoesOnWhereItsClassIsAboutToGetTasks) {
  wait(of_class(1, 1));
  dispatched();
  EXPECT_FALSE(dispatcher.ends_walk(of_class(1, 2, 64)));
}

TEST_F(ClassDispatcherTest, StandingInTheQueueIsByClass) {
  for (const std::uint32_t number : {1u, 2u, 3u}) wait(of_class(1, number));
  wait(of_class(2, 4));
  EXPECT_EQ(dispatcher.ahead_of(3, now), 1u);
  EXPECT_EQ(dispatcher.eviction_candidate(of_class(2, 5), now), 2u);
  const auto newcomer = sched::arriving(of_class(2, 5), now + 1s);
  EXPECT_DOUBLE_EQ(dispatcher.work_ahead(newcomer, now + 1s), 2 * .5e9 * 1000);
}

}  // namespace
}  // namespace dunlin::test
