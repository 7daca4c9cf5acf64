// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/planned_slots.h"

#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

#include "sched/worker/dispatch/class_dispatcher.h"
#include "sched/worker/dispatch/flat_dispatcher.h"
#include "sched/worker/reservations.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::ClassId;
using sched::GetTask;
using sched::Reserve;
using sched::Tickets;
using sched::cell::Allotted;

/// A node of four CPUs, first come first served, on which a plan gives slots to jobs.
class PlannedSlotsTest : public Solo {
 protected:
  static sched::WorkerParams fifo() {
    sched::WorkerParams params;
    params.discipline = sched::DisciplineName::fifo;
    return params;
  }
  static Allotted slots(
      std::uint32_t job, std::uint32_t slots, std::uint32_t rank, std::uint32_t total = 0) {
    return {
        .job = reserve_of(job).job, .frontend = {99}, .slots = slots, .rank = rank, .total = total};
  }
  void allot(const std::vector<Allotted>& allotted) { parts.planned.set(allotted); }
  /// Each is submitted a second after the one before.
  void wait(std::uint32_t job, std::uint16_t tasks = 1, std::uint32_t cpu = 1000, ClassId of = 0) {
    Reserve reserve = reserve_of(job);
    reserve.tasks_max = tasks;
    reserve.demand.cpu = cpu;
    reserve.class_id = of;
    parts.wait(now + ++waiting * 1s, reserve);
  }
  /// The tasks asked for by job.
  std::map<std::uint32_t, std::uint32_t> dispatched(sched::Dispatcher& by) {
    out.clear();
    auto now_turn = turn();
    by.dispatch(now_turn);
    std::map<std::uint32_t, std::uint32_t> asked;
    for (const GetTask& each : out.all<GetTask>()) asked[each.job.number] += each.room;
    return asked;
  }
  std::map<std::uint32_t, std::uint32_t> dispatched() { return dispatched(dispatcher); }
  using Asked = std::map<std::uint32_t, std::uint32_t>;

  LooseParts parts{4000, fifo()};
  sched::FlatDispatcher dispatcher{parts.all};
  int waiting = 0;
};

TEST_F(PlannedSlotsTest, JobsWithSlotsGoFirstByRankUpToTheirSlots) {
  wait(1, 8);
  wait(2, 8);
  wait(3, 8);
  allot({slots(3, 1, 0), slots(2, 3, 1)});
  EXPECT_EQ(dispatched(), (Asked{{3, 1}, {2, 3}}));
}

TEST_F(PlannedSlotsTest, WhatNoJobWithSlotsCanUseGoesByTheDiscipline) {
  wait(1, 8);
  wait(2, 1);
  allot({slots(2, 3, 0), slots(3, 1, 1)});
  EXPECT_EQ(dispatched(), (Asked{{2, 1}, {1, 3}})) << "no slot stays idle";
}

TEST_F(PlannedSlotsTest, TasksThatRunTakeTheSlotsOfTheirJob) {
  parts.run(turn(), reserve_of(2));
  wait(1, 1);
  wait(2, 1);
  allot({slots(2, 1, 0)});
  ASSERT_TRUE(dispatcher.choose(now + 9s));
  EXPECT_EQ(parts.queue[*dispatcher.choose(now + 9s)].reserve.job.number, 1u);
  allot({slots(2, 2, 0)});
  EXPECT_EQ(parts.queue[*dispatcher.choose(now + 9s)].reserve.job.number, 2u);
}

TEST_F(PlannedSlotsTest, ATaskOfSeveralCpusTakesSeveralSlots) {
  wait(1, 1);
  wait(2, 4, 2000);
  allot({slots(2, 3, 0)});
  EXPECT_EQ(dispatched(), (Asked{{2, 1}, {1, 1}})) << "a third slot holds no second task";
}

TEST_F(PlannedSlotsTest, WithoutAPlanTheDisciplineDecides) {
  wait(1, 8);
  wait(2, 8);
  allot({slots(2, 4, 0)});
  allot({});
  EXPECT_EQ(dispatched(), (Asked{{1, 4}}));
}

TEST_F(PlannedSlotsTest, JobsWithSlotsButWithoutAReservationLackOne) {
  wait(2);
  parts.run(turn(), reserve_of(4));
  allot({slots(2, 1, 0), slots(3, 1, 2), slots(4, 1, 3), slots(5, 2, 1)});
  parts.planned.recount(parts.running.running(), parts.requests.pending());
  const auto lacking = parts.planned.lacking(parts.queue, parts.requests.pending());
  ASSERT_EQ(lacking.size(), 2u);
  EXPECT_EQ(lacking[0].job.number, 5u);
  EXPECT_EQ(lacking[1].job.number, 3u);
}

TEST_F(PlannedSlotsTest, AReservationOfAJobWithSlotsStaysThoughItCannotStartYet) {
  for (std::uint32_t i = 0; i < 4; ++i) parts.run(turn(), reserve_of(9), i);
  know(7);
  sched::Reservations reservations(parts.params, node(1), parts.all);
  Reserve reserve = reserve_of(2);
  reserve.walk.hops_left = 5;
  allot({slots(2, 1, 0)});
  auto now_turn = turn();
  EXPECT_EQ(reservations.arrive(now_turn, around(), dispatcher, reserve), sched::Arrival::waits);
  allot({});
  reserve.job.number = 3;
  EXPECT_EQ(reservations.arrive(now_turn, around(), dispatcher, reserve), sched::Arrival::gone);
}

/// Classes 1 and 2 have half of the node each.
class PlannedClassesTest : public PlannedSlotsTest {
 protected:
  PlannedClassesTest() {
    tally.set_tickets(now, std::vector<std::pair<ClassId, Tickets>>{{1, 2000}, {2, 2000}});
  }

  sched::ClassTally tally{now, parts.all};
  sched::ClassDispatcher by_class{parts.all, tally};
};

TEST_F(PlannedClassesTest, TicketsGoFirstAndThePlanDividesWhatAClassHas) {
  wait(1, 8, 1000, 1);
  wait(2, 8, 1000, 2);
  wait(3, 8, 1000, 2);
  allot({slots(3, 1, 0), slots(2, 1, 1)});
  EXPECT_EQ(dispatched(by_class), (Asked{{1, 2}, {2, 1}, {3, 1}}))
      << "class 1 has its half, though the plan gives it nothing";
}

TEST_F(PlannedClassesTest, WithinAClassTheDisciplineDealsOutTheRest) {
  wait(1, 8, 1000, 1);
  wait(2, 1, 1000, 1);
  allot({slots(2, 4, 0)});
  EXPECT_EQ(dispatched(by_class), (Asked{{2, 1}, {1, 3}}));
}

// By chance: the plan first, then the discipline; the node is never left idle nor overfull.
TEST(PlannedSlots, OrderIsThatOfAnOracle) {
  sched::Rng rng(3);
  for (int seed = 0; seed < 300; ++seed) {
    sched::WorkerParams params;
    params.discipline = sched::DisciplineName::fifo;
    LooseParts parts(8000, params);
    std::vector<Allotted> allotted;
    std::map<std::uint32_t, std::uint32_t> left;
    for (std::uint32_t job = 1; job <= 6; ++job) {
      Reserve reserve = reserve_of(job);
      reserve.tasks_max = 1;
      if (rng.chance(.8)) parts.wait(sched::Time{1s * rng.below(100)}, reserve);
      if (rng.chance(.5)) continue;
      left[job] = 1 + rng.below(3);
      allotted.push_back({.job = reserve.job, .frontend = {99}, .slots = left[job]});
      allotted.back().rank = 10 * rng.below(5) + job;
    }
    parts.planned.set(allotted);
    const sched::FlatDispatcher dispatcher(parts.all);
    const auto chosen = dispatcher.choose(sched::Time{100s});
    const auto& waiting = parts.queue.waiting();
    ASSERT_EQ(chosen.has_value(), !waiting.empty());
    const auto rank = [&](const sched::QueuedReservation& each) {
      for (const Allotted& one : allotted) {
        if (one.job == each.reserve.job) return one.rank;
      }
      return 1000u;
    };
    for (const auto& other : waiting) {
      const auto key = [&](const auto& each) { return std::pair(rank(each), each.born); };
      ASSERT_LE(key(waiting[*chosen]), key(other));
    }
  }
}

TEST_F(PlannedSlotsTest, AJobWhoseSlotsOthersHoldIsServedByRankLikeThoseWithSlotsHere) {
  wait(1, 8);
  wait(2, 8);
  wait(3, 8);
  const Allotted offered = slots(3, 0, 0, 1);
  allot({offered, slots(2, 4, 1)});
  EXPECT_EQ(dispatched(), (Asked{{3, 1}, {2, 3}}));
  for (const GetTask& each : out.all<GetTask>()) {
    EXPECT_EQ(each.slots_max, each.job.number == 3 ? 1u : 0u) << "job " << each.job.number;
  }
}

TEST_F(PlannedSlotsTest, AnOfferWithoutASlotInAllIsNone) {
  allot({slots(3, 0, 0)});
  EXPECT_TRUE(parts.planned.empty());
}

TEST_F(PlannedSlotsTest, AJobThatHasItsSlotsElsewhereMakesWayForAWhile) {
  wait(1, 1);
  wait(2, 1);
  wait(3, 1);
  Allotted own = slots(2, 1, 0, 2);
  const Allotted offered = slots(3, 0, 1, 1);
  const auto first = [&] { return parts.queue[*dispatcher.choose(now + 9s)].reserve.job.number; };
  allot({own, offered});
  EXPECT_EQ(first(), 2u);
  parts.planned.satisfy(own.job, now);
  EXPECT_EQ(first(), 3u);
  allot({own, offered});
  EXPECT_EQ(first(), 3u) << "the same plan, said again";
  parts.planned.satisfy(offered.job, now);
  EXPECT_EQ(first(), 2u) << "its slot, before what comes by the discipline alone";
  parts.planned.ask_again(now + 999ms);
  EXPECT_EQ(parts.planned.total(reserve_of(3)), 0u);
  parts.planned.ask_again(now + 1s);
  EXPECT_EQ(parts.planned.total(reserve_of(3)), 1u);
  parts.planned.satisfy(own.job, now);
  own.total = 3;
  allot({own, offered});
  EXPECT_EQ(first(), 2u) << "another plan";
}

}  // namespace
}  // namespace dunlin::test
