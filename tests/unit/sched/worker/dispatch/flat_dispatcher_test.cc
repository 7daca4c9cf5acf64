// SPDX-License-Identifier: MIT
#include "sched/worker/dispatch/flat_dispatcher.h"

#include <gtest/gtest.h>

#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::FlatDispatcher;
using sched::Reserve;
using sched::Time;

/// First come, first served, on a node of which so many CPUs are free; ten of them in all.
class FlatDispatcherTest : public Solo {
 protected:
  static sched::WorkerParams fifo() {
    sched::WorkerParams params;
    params.discipline = sched::DisciplineName::fifo;
    params.overtake = 5s;
    return params;
  }
  void wait(std::uint32_t job, std::uint32_t cpu, sched::Duration submitted) {
    Reserve reserve = reserve_of(job);
    reserve.demand.cpu = cpu;
    parts.wait(Time{submitted}, reserve);
  }
  void leave_free(std::uint32_t cpu) {
    Reserve others = reserve_of(100);
    others.demand.cpu = parts.slots.free().cpu - cpu;
    parts.slots.hold(now, footprint(others));
  }
  /// The job chosen, or 0.
  std::uint32_t chosen(sched::Duration at) {
    const auto i = dispatcher.choose(Time{at});
    return i ? parts.queue[*i].reserve.job.number : 0;
  }
  std::vector<sched::GetTask> dispatched() {
    out.clear();
    auto now_turn = turn();
    dispatcher.dispatch(now_turn);
    return out.all<sched::GetTask>();
  }

  LooseParts parts{10'000, fifo()};
  FlatDispatcher dispatcher{parts.all};
};

TEST_F(FlatDispatcherTest, GoesByTheDiscipline) {
  wait(1, 1000, 3s);
  wait(2, 1000, 1s);
  wait(3, 1000, 2s);
  EXPECT_EQ(chosen(4s), 2u);
  EXPECT_EQ(dispatcher.ahead_of(0, Time{4s}), 2u);
  EXPECT_EQ(dispatcher.ahead_of(1, Time{4s}), 0u);
}

TEST_F(FlatDispatcherTest, NothingIsChosenThatDoesNotFit) {
  wait(1, 2000, 0s);
  leave_free(1999);
  EXPECT_EQ(chosen(1s), 0u);
  EXPECT_TRUE(dispatched().empty());
}

TEST_F(FlatDispatcherTest, SmallOnesOvertakeALargeOneForAWhileThenRoomIsKept) {
  wait(1, 4000, 0s);
  wait(2, 1000, 1s);
  EXPECT_EQ(chosen(6s), 1u);
  leave_free(1000);
  EXPECT_EQ(chosen(5s), 2u);
  EXPECT_EQ(chosen(5001ms), 0u) << "the large one has waited long enough";
}

TEST(FlatDispatcher, NoRoomIsKeptForTasksThatAreBarred) {
  sched::WorkerParams params;
  params.express_share = .5;
  params.express_limit = 10s;
  LooseParts node(2000, params);
  const FlatDispatcher dispatcher(node.all);
  node.slots.hold(Time{0s}, footprint(reserve_of(1, 20s)));
  node.wait(Time{0s}, reserve_of(2, 20s));
  EXPECT_FALSE(dispatcher.choose(Time{60s}));
  node.wait(Time{0s}, reserve_of(3, 10s));
  EXPECT_EQ(dispatcher.choose(Time{60s}), 1u) << "the long one waits for other room than this";
}

TEST_F(FlatDispatcherTest, AsksForAsManyTasksAsFitUntilNothingDoes) {
  for (const std::uint32_t job : {1u, 2u, 3u}) {
    Reserve reserve = reserve_of(job);
    reserve.tasks_max = 6;
    parts.wait(now, reserve);
  }
  const auto asked = dispatched();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].room, 6u);
  EXPECT_EQ(asked[1].room, 4u);
  EXPECT_EQ(asked[1].load.queued, 1u) << "it says how things stand when it asks";
  EXPECT_EQ(parts.slots.free().cpu, 0u) << "late binding holds slots for a round trip";
  EXPECT_EQ(parts.queue.size(), 1u);
}

TEST_F(FlatDispatcherTest, WorkAheadIsAllThatIsAskedForAndHalfOfWhatWaitsBefore) {
  Reserve asked = reserve_of(1, 10s);
  asked.tasks_max = 2;
  parts.wait(now, asked);
  dispatched();
  parts.wait(now, reserve_of(2, 4s));
  parts.wait(now + 2s, reserve_of(3, 100s));
  const auto newcomer = sched::arriving(reserve_of(4), now + 1s);
  const double second = 1e9 * 1000;  // A second of one CPU.
  EXPECT_DOUBLE_EQ(dispatcher.work_ahead(newcomer, now + 1s), (2 * 10 + 4 / 2) * second);
}

TEST_F(FlatDispatcherTest, AFullQueueEvictsNothingAndNoWalkEndsEarly) {
  wait(1, 1000, 0s);
  Reserve large = reserve_of(2);
  large.tasks_max = 64;
  EXPECT_FALSE(dispatcher.eviction_candidate(large, now));
  EXPECT_FALSE(dispatcher.ends_walk(large));
}

}  // namespace
}  // namespace dunlin::test
