// SPDX-License-Identifier: MIT
#include "sched/plan/allotment_lease.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr CellId kCell{7};
constexpr PeerId kSelf{3};

cell::Allotments told(std::uint64_t sequence, std::uint64_t plan, std::uint32_t slots = 2) {
  return {.cell = kCell,
      .epoch = 4,
      .member = kSelf,
      .sequence = sequence,
      .plan = plan,
      .life = 10s,
      .allotted = {{.job = {.home = {9}, .number = 1}, .frontend = {9}, .slots = slots}}};
}

/// A member that sent claims at 1 s.
struct Member {
  AllotmentLease lease;
  std::uint64_t sequence = lease.claim(Time{1s}, kCell);

  bool hears(Time now, const cell::Allotments& allotments, std::uint64_t epoch = 0) {
    return lease.receive(now, kSelf, epoch, allotments);
  }
  std::uint32_t slots(Time now) const {
    return lease.allotted(now).empty() ? 0 : lease.allotted(now)[0].slots;
  }
};

TEST(AllotmentLease, HoldsFromWhenTheClaimsWereSentHoweverLateTheAnswerComes) {
  Member member;
  EXPECT_TRUE(member.hears(Time{8s}, told(member.sequence, 1)));
  EXPECT_EQ(member.slots(Time{10999ms}), 2u);
  EXPECT_EQ(member.slots(Time{11s}), 0u) << "10 s after the claims";
  EXPECT_EQ(member.lease.until(), Time{11s});
}

TEST(AllotmentLease, AnAnswerThatComesAfterItsTermIsNone) {
  Member member;
  EXPECT_FALSE(member.hears(Time{11s}, told(member.sequence, 1)));
  EXPECT_EQ(member.slots(Time{11s}), 0u);
}

TEST(AllotmentLease, NoLowerEpochIsObeyed) {
  Member member;
  EXPECT_FALSE(member.hears(Time{2s}, told(member.sequence, 1), 5)) << "grants came from epoch 5";
  EXPECT_TRUE(member.hears(Time{2s}, told(member.sequence, 9), 4));
  cell::Allotments older = told(member.sequence, 20, 5);
  older.epoch = 3;
  EXPECT_FALSE(member.hears(Time{2s}, older));
  EXPECT_EQ(member.slots(Time{2s}), 2u);
  EXPECT_EQ(member.lease.refused(), 2u);
  cell::Allotments newer = told(member.sequence, 1, 5);
  newer.epoch = 6;
  EXPECT_TRUE(member.hears(Time{2s}, newer)) << "a new manager counts its plans anew";
  EXPECT_EQ(member.slots(Time{2s}), 5u);
}

TEST(AllotmentLease, AnOlderPlanIsIgnoredAndTheSameOneHoldsLonger) {
  Member member;
  EXPECT_TRUE(member.hears(Time{2s}, told(member.sequence, 2)));
  EXPECT_FALSE(member.hears(Time{2s}, told(member.sequence, 1, 3)));
  EXPECT_EQ(member.slots(Time{2s}), 2u);
  const auto again = member.lease.claim(Time{5s}, kCell);
  EXPECT_FALSE(member.hears(Time{6s}, told(again, 2))) << "nothing that holds is another";
  EXPECT_EQ(member.lease.until(), Time{15s});
}

TEST(AllotmentLease, OnlyAnswersToKnownClaimsForThisMemberOfThisCellCount) {
  Member member;
  EXPECT_FALSE(member.hears(Time{2s}, told(member.sequence + 1, 1)));
  cell::Allotments other = told(member.sequence, 1);
  other.member = {4};
  EXPECT_FALSE(member.hears(Time{2s}, other));
  other = told(member.sequence, 1);
  other.cell = CellId{8};
  EXPECT_FALSE(member.hears(Time{2s}, other));
  EXPECT_EQ(member.slots(Time{2s}), 0u);
}

TEST(AllotmentLease, AnotherCellEndsWhatHeld) {
  Member member;
  EXPECT_TRUE(member.hears(Time{2s}, told(member.sequence, 1)));
  (void)member.lease.claim(Time{3s}, CellId{8});
  EXPECT_EQ(member.slots(Time{3s}), 0u);
  EXPECT_FALSE(member.hears(Time{3s}, told(member.sequence, 2)));
}

TEST(AllotmentLease, NumbersGrowAcrossARestart) {
  AllotmentLease before;
  for (int i = 0; i < 5; ++i) (void)before.claim(Time{1s}, kCell);
  const auto last = before.claim(Time{1s}, kCell);
  AllotmentLease after;
  EXPECT_GT(after.claim(Time{2s}, kCell), last);
}

}  // namespace
}  // namespace dunlin::sched
