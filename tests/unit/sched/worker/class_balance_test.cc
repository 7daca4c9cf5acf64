// SPDX-License-Identifier: MIT
#include "sched/worker/share/class_balance.h"

#include <gtest/gtest.h>
#include <vector>

#include "sched/worker/share/class_shares.h"

namespace dunlin::sched {
namespace {

ClassShares shares(std::vector<std::pair<ClassId, Tickets>> tickets) {
  ClassShares shares(Time{});
  shares.set_tickets(Time{}, std::move(tickets));
  return shares;
}

TEST(ClassBalance, KnowsWhichClassIsFurthestAboveItsShare) {
  ClassBalance balance(shares({{1, 100}, {2, 100}, {3, 200}}));
  EXPECT_EQ(balance.furthest(), std::nullopt);
  balance.hold(1, 300'000);
  balance.hold(2, 400'000);
  EXPECT_EQ(balance.furthest(), 2u);
  EXPECT_TRUE(balance.lacks(3, 250'000));
  EXPECT_FALSE(balance.lacks(1, 1));
  EXPECT_TRUE(balance.spares(2, 250'000));
  balance.release(2, 200'000);
  EXPECT_EQ(balance.furthest(), 1u);
  EXPECT_FALSE(balance.spares(2, 1));
}

// One task fills the node: whoever has it, the other is as far from its half.
TEST(ClassBalance, NoTwoClassesTakeTheSameRoomInTurn) {
  ClassBalance balance(shares({{1, 100}, {2, 100}}));
  balance.hold(1, 1'000'000);
  EXPECT_FALSE(balance.lacks(2, 1'000'000));
  EXPECT_FALSE(balance.spares(1, 1'000'000));
  EXPECT_TRUE(balance.lacks(2, 900'000));
}

TEST(ClassBalance, MoreThanAShareMayBringAClassNearerToIt) {
  ClassBalance balance(shares({{1, 100}, {2, 300}}));
  EXPECT_TRUE(balance.affords(1, 250'000));
  EXPECT_TRUE(balance.lacks(1, 400'000));
  EXPECT_FALSE(balance.affords(1, 250'001));
  balance.hold(1, 100'000);
  EXPECT_FALSE(balance.affords(1, 150'001));
  EXPECT_FALSE(balance.affords(3, 1));
}

TEST(ClassBalance, AClassWithoutTicketsHasNoShare) {
  ClassBalance balance(shares({{1, 100}}));
  balance.hold(7, 100'000);
  EXPECT_EQ(balance.furthest(), 7u);
  EXPECT_TRUE(balance.spares(7, 100'000));
  EXPECT_FALSE(balance.lacks(8, 1));
}

}  // namespace
}  // namespace dunlin::sched
