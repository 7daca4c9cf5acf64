// SPDX-License-Identifier: MIT
#include "sched/frontend/group_probes.h"

#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

using test::kNow;
constexpr Duration kPeriod = 500ms;

class GroupProbesTest : public ::testing::Test {
 protected:
  static Probe at(std::uint32_t id, std::uint64_t holder, bool queued, Time expires = kNow + 1s) {
    return {.id = id,
        .queued = queued,
        .holder = {.id = {holder}, .address = {}},
        .sent = kNow,
        .expires = expires};
  }
  bool bounce(BounceReason reason) {
    probes.sent(at(++last, 5, false));
    return probes.bounced(last, reason, kNow, kPeriod);
  }

  TaskGroup spec = test::tasks(4);
  GroupProbes probes{spec};
  std::uint32_t last = 0;
};

TEST_F(GroupProbesTest, ReservationsNotHeardOfAreLost) {
  probes.sent(at(1, 5, false, kNow));
  probes.sent(at(2, 6, false, kNow + 1ns));
  EXPECT_EQ(probes.expire(kNow), (std::vector<std::uint32_t>{1}));
  ASSERT_EQ(probes.out().size(), 1u);
  EXPECT_EQ(probes.out()[0].id, 2u);
}

TEST_F(GroupProbesTest, HoldersAreTheNodesWhereSomeWaitEachOnce) {
  probes.sent(at(1, 5, true));
  probes.sent(at(2, 6, false));
  probes.sent(at(3, 5, true));
  ASSERT_EQ(probes.holders().size(), 1u);
  EXPECT_EQ(probes.holders()[0].id, PeerId{5});
  probes.erase_at({5});
  EXPECT_TRUE(probes.holders().empty());
  EXPECT_EQ(probes.out().size(), 1u);
}

TEST_F(GroupProbesTest, OneThatWaitsKeepsTheTimeOfItsSending) {
  probes.sent(at(1, 5, false));
  Probe waits = at(1, 6, true, kNow + 9s);
  waits.sent = kNow + 3s;
  probes.queued(waits);
  ASSERT_EQ(probes.out().size(), 1u);
  EXPECT_TRUE(probes.out()[0].queued);
  EXPECT_EQ(probes.out()[0].holder.id, PeerId{6});
  EXPECT_EQ(probes.out()[0].sent, kNow);
}

TEST_F(GroupProbesTest, OneThoughtLostIsWelcome) {
  probes.queued(at(9, 6, true));
  EXPECT_EQ(probes.out().size(), 1u);
}

TEST_F(GroupProbesTest, AServedOneLivesOnButNoneIsMadeUp) {
  probes.sent(at(1, 5, true));
  probes.served(at(1, 5, true, kNow + 9s));
  probes.served(at(2, 6, true));
  ASSERT_EQ(probes.out().size(), 1u);
  EXPECT_EQ(probes.out()[0].expires, kNow + 9s);
}

TEST_F(GroupProbesTest, RestWhileSomeAreOut) {
  probes.chosen(DemandClass::large, kNow + 1s);
  EXPECT_EQ(probes.demand_class(), DemandClass::large);
  EXPECT_FALSE(probes.rests(kNow)) << "nothing is out";
  probes.sent(at(1, 5, false));
  EXPECT_TRUE(probes.rests(kNow));
  EXPECT_FALSE(probes.rests(kNow + 1s));
}

TEST_F(GroupProbesTest, TheFirstThatQueuesEndsTheRest) {
  probes.sent(at(1, 5, true));
  probes.chosen(DemandClass::small, kNow + 1s);
  EXPECT_TRUE(probes.crowd(kNow));
  EXPECT_FALSE(probes.rests(kNow));
  EXPECT_TRUE(probes.need(spec, DemandClass::small, 4).crowded);
  EXPECT_FALSE(probes.crowd(kNow));
}

TEST_F(GroupProbesTest, PausesGrowWhileNodesHoldOneAlready) {
  const auto pause = [&] { return probes.need(spec, DemandClass::small, 4).pause; };
  EXPECT_TRUE(bounce(BounceReason::duplicate));
  EXPECT_EQ(pause(), kPeriod);
  bounce(BounceReason::duplicate);
  EXPECT_EQ(pause(), 2 * kPeriod);
  for (int i = 0; i < 9; ++i) bounce(BounceReason::duplicate);
  EXPECT_EQ(pause(), 8s);
  probes.sent(at(99, 5, false));
  EXPECT_TRUE(probes.rests(kNow + 8s - 1ns));
  probes.served(at(99, 5, true));
  EXPECT_EQ(pause(), 0s) << "a task was handed out";
}

// The period may be set to more than the longest pause.
TEST_F(GroupProbesTest, NoPauseIsShorterThanThePeriod) {
  probes.sent(at(1, 5, false));
  probes.bounced(1, BounceReason::duplicate, kNow, 30s);
  EXPECT_EQ(probes.need(spec, DemandClass::small, 4).pause, 30s);
}

TEST_F(GroupProbesTest, TurnedAwayEverywhereIsShunned) {
  EXPECT_FALSE(probes.bounced(77, BounceReason::express, kNow, kPeriod)) << "it is not known";
  for (int i = 0; i < 63; ++i) bounce(BounceReason::express);
  EXPECT_FALSE(probes.shunned());
  probes.queued(at(100, 5, true));
  for (int i = 0; i < 63; ++i) bounce(BounceReason::never_fits);
  EXPECT_FALSE(probes.shunned()) << "one was taken in meanwhile";
  bounce(BounceReason::queue_full);
  EXPECT_FALSE(probes.shunned()) << "that may change";
  bounce(BounceReason::constraint);
  EXPECT_TRUE(probes.shunned());
  probes.queued(at(101, 5, true));
  EXPECT_TRUE(probes.shunned()) << "once hidden, the length stays hidden";
}

TEST_F(GroupProbesTest, HoldersAreToldWhenAQuarterIsLeft) {
  probes.will_tell(8, 1s);
  EXPECT_FALSE(probes.tell(3, 1s));
  EXPECT_TRUE(probes.tell(2, 1s));
  EXPECT_FALSE(probes.tell(2, 1s)) << "they know by now";
  EXPECT_FALSE(probes.tell(0, 1s)) << "they are withdrawn";
}

TEST_F(GroupProbesTest, HoldersAreToldWhenALengthThatNobodyKnewDoublesOrHalves) {
  probes.will_tell(8, 2s);
  EXPECT_FALSE(probes.tell(8, 3s));
  EXPECT_TRUE(probes.tell(8, 4s));
  EXPECT_FALSE(probes.tell(8, 4s)) << "they know by now";
  EXPECT_TRUE(probes.tell(8, 2s));
  EXPECT_TRUE(probes.tell(8, 0s)) << "it is to stay hidden";
  EXPECT_FALSE(probes.tell(8, 0s));
  TaskGroup told = spec;
  told.duration = 2s;
  GroupProbes others(told);
  others.will_tell(8, 2s);
  EXPECT_FALSE(others.tell(8, 60s)) << "its user told them";
}

TEST_F(GroupProbesTest, ClearedIsAsNew) {
  bounce(BounceReason::duplicate);
  probes.sent(at(50, 5, true));
  probes.clear();
  EXPECT_TRUE(probes.out().empty());
  EXPECT_EQ(probes.need(spec, DemandClass::small, 4).pause, 0s);
}

}  // namespace
}  // namespace dunlin::sched
