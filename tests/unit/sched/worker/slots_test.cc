// SPDX-License-Identifier: MIT
#include "sched/worker/slots.h"

#include <gtest/gtest.h>

#include "sched/worker/share/class_shares.h"
#include "tests/support/loose_parts.h"
#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;
using test::LooseParts;
using test::reserve_of;

/// Four CPUs, of which one is for tasks of ten seconds or less.
WorkerParams with_express_share() {
  WorkerParams params;
  params.express_share = .25;
  params.express_limit = 10s;
  return params;
}

TEST(Slots, HoldWhatIsHeldUntilItIsReleased) {
  LooseParts node(4000);
  const Reserve reserve = reserve_of(1);
  EXPECT_EQ(node.slots.room_for(reserve, 64), 4u);
  node.slots.hold(kNow, footprint(reserve), 3);
  EXPECT_EQ(node.slots.free().cpu, 1000u);
  EXPECT_EQ(node.slots.fit(reserve), Fit::yes);
  node.slots.hold(kNow, footprint(reserve));
  EXPECT_EQ(node.slots.fit(reserve), Fit::no);
  EXPECT_EQ(node.slots.room_for(reserve, 64), 0u);
  node.slots.release(kNow, footprint(reserve), 4);
  EXPECT_EQ(node.slots.free(), node.slots.total());
}

TEST(Slots, AreNeverOverCommitted) {
  LooseParts node(2000);
  const Reserve reserve = reserve_of(1);
  EXPECT_DEATH(node.slots.hold(kNow, footprint(reserve), 3), "over-committed");
}

TEST(Slots, TheExpressShareIsBarredForLongTasksAlone) {
  LooseParts node(4000, with_express_share());
  const Reserve lasting = reserve_of(1, 11s);
  const Reserve brief = reserve_of(2, 10s);
  EXPECT_EQ(node.slots.room_for(lasting, 64), 3u);
  EXPECT_EQ(node.slots.room_for(brief, 64), 4u);
  node.slots.hold(kNow, footprint(lasting), 3);
  EXPECT_EQ(node.slots.fit(lasting), Fit::barred) << "a CPU is free, but not for this";
  EXPECT_EQ(node.slots.fit(brief), Fit::yes);
  node.slots.hold(kNow, footprint(brief));
  EXPECT_EQ(node.slots.fit(lasting), Fit::no);
  node.slots.release(kNow, footprint(lasting));
  EXPECT_EQ(node.slots.fit(lasting), Fit::yes);
}

TEST(Slots, ShortTasksAreNotKeptToTheExpressShare) {
  LooseParts node(4000, with_express_share());
  node.slots.hold(kNow, footprint(reserve_of(1, 1s)), 3);
  EXPECT_EQ(node.slots.fit(reserve_of(2, 11s)), Fit::yes) << "no long task holds anything yet";
}

TEST(Slots, AFractionOfACpuIsAWholeOneOnThatFractionOfNodes) {
  WorkerParams params;
  params.express_share = .1;
  params.express_limit = 10s;
  int with = 0;
  for (std::uint64_t id = 1; id <= 2000; ++id) {
    NodeSpec node = LooseParts::node_of(1000);
    node.endpoint.id = {id};
    const Slots slots(params, node);
    const std::uint32_t room = slots.room_for(reserve_of(1, 11s), 64);
    ASSERT_LE(room, 1u);
    with += room == 0 ? 1 : 0;
  }
  EXPECT_NEAR(with, 200, 40);
}

TEST(Slots, SayWhyATaskCanNeverRunHere) {
  LooseParts node(4000, with_express_share());
  EXPECT_FALSE(node.slots.unfit(reserve_of(1)));
  Reserve large = reserve_of(1);
  large.demand.cpu = 5000;
  EXPECT_EQ(node.slots.unfit(large), BounceReason::never_fits);
  large.demand.cpu = 4000;
  EXPECT_FALSE(node.slots.unfit(large));
  large.task_time = 11s;
  EXPECT_EQ(node.slots.unfit(large), BounceReason::express);
  Reserve choosy = reserve_of(1);
  choosy.constraints.push_back({.key = "ssd", .comparison = Comparison::equal, .value = "1"});
  EXPECT_EQ(node.slots.unfit(choosy), BounceReason::constraint);
  node.slots.hold(kNow, footprint(reserve_of(1)), 4);
  EXPECT_FALSE(node.slots.unfit(reserve_of(2))) << "a full node may be free later";
  node.slots.drain(true);
  EXPECT_EQ(node.slots.unfit(reserve_of(2)), BounceReason::draining);
}

TEST(Slots, ADrainingNodeOffersNothing) {
  LooseParts node(4000);
  EXPECT_EQ(node.slots.load(7).cpu_free, 4000u);
  EXPECT_EQ(node.slots.load(7).queued, 7u);
  node.slots.drain(true);
  EXPECT_EQ(node.slots.load(7).cpu_free, 0u);
  EXPECT_EQ(node.slots.load(7).memory_free, 0u);
  EXPECT_EQ(node.slots.free().cpu, 4000u) << "nothing is held, though";
}

TEST(Slots, ASickNodeOffersNothing) {
  LooseParts node(4000);
  node.slots.fall_sick(true);
  EXPECT_EQ(node.slots.unfit(reserve_of(2)), BounceReason::sick);
  EXPECT_EQ(node.slots.load(0).cpu_free, 0u);
  EXPECT_TRUE(node.slots.closed());
  node.slots.drain(true);
  EXPECT_EQ(node.slots.unfit(reserve_of(2)), BounceReason::draining) << "that will last longer";
  node.slots.drain(false);
  node.slots.fall_sick(false);
  EXPECT_FALSE(node.slots.unfit(reserve_of(2)));
}

TEST(Slots, TheNumberOfTasksIsBoundedHoweverLittleTheyNeed) {
  LooseParts node(4000, {.tasks_max = 5});
  Reserve nothing = reserve_of(1);
  nothing.demand = {};
  EXPECT_EQ(node.slots.room_for(nothing, 64), 5u);
  node.slots.hold(kNow, footprint(nothing), 5);
  EXPECT_EQ(node.slots.fit(nothing), Fit::no) << "there may be room later";
  EXPECT_EQ(node.slots.room_for(nothing, 64), 0u);
  EXPECT_FALSE(node.slots.unfit(nothing));
  node.slots.release(kNow, footprint(nothing), 2);
  EXPECT_EQ(node.slots.room_for(nothing, 64), 2u);
}

TEST(Slots, TasksOfACpuEachDoNotMeetThatBound) {
  LooseParts node(8000, {.tasks_max = 5});
  EXPECT_EQ(node.slots.room_for(reserve_of(1), 64), 8u);
}

TEST(Slots, CountForTheClassOnceAskedTo) {
  LooseParts node(4000);
  ClassShares shares(kNow);
  shares.set_tickets(kNow, {{7, 4000}});
  Reserve reserve = reserve_of(1);
  reserve.class_id = 7;
  node.slots.hold(kNow, footprint(reserve));
  node.slots.count_for(shares);
  EXPECT_EQ(shares.stride().held(7), 0u);
  node.slots.hold(kNow, footprint(reserve), 2);
  EXPECT_EQ(shares.stride().held(7), 500'000u) << "half of the CPUs";
  node.slots.release(kNow, footprint(reserve));
  EXPECT_EQ(shares.stride().held(7), 250'000u);
}

}  // namespace
}  // namespace dunlin::sched
