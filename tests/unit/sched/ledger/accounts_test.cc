// SPDX-License-Identifier: MIT
#include "sched/ledger/accounts.h"

#include <gtest/gtest.h>

namespace dunlin::sched::books {
namespace {

using std::chrono::seconds;

const PeerId kOwner{7};
constexpr ClassId kGoldClass = 1;
constexpr ClassId kSilver = 2;

Deposit deposit_of(Tickets tickets, int expires) {
  return {.expires = Time(seconds(expires)), .tickets = tickets};
}

TEST(Accounts, AreOnePerClassAndNodeInOrder) {
  State state;
  put(state, kSilver, {}, deposit_of(5, 10));
  put(state, kGoldClass, kOwner, deposit_of(3, 10));
  put(state, kGoldClass, {}, deposit_of(2, 10));
  put(state, kGoldClass, {}, deposit_of(4, 20));
  ASSERT_EQ(state.accounts.size(), 3u);
  EXPECT_EQ(state.accounts[0].class_id, kGoldClass);
  EXPECT_FALSE(state.accounts[0].node);
  EXPECT_EQ(state.accounts[1].node, kOwner);
  EXPECT_EQ(state.accounts[2].class_id, kSilver);
  EXPECT_EQ(savings_of(state, kGoldClass, {}), 6);
  EXPECT_EQ(savings_of(state, kGoldClass, kOwner), 3);
  EXPECT_EQ(savings_of(state, kSilver, kOwner), 0);
}

TEST(Accounts, CloseWhenAllInThemHasExpired) {
  State state;
  put(state, kGoldClass, {}, deposit_of(2, 10));
  put(state, kGoldClass, {}, deposit_of(4, 20));
  put(state, kSilver, {}, deposit_of(5, 10));
  state.now = Time(seconds(10));
  expire_accounts(state);
  ASSERT_EQ(state.accounts.size(), 1u);
  EXPECT_EQ(savings_of(state, kGoldClass, {}), 4);
  EXPECT_EQ(state.totals.expired, 7);
}

TEST(Accounts, TakeADepositIntoAnOpenOneEvenWhenAllAreOpen) {
  State state;
  for (std::size_t i = 0; i < State::kAccountsMax; ++i) {
    put(state, kGoldClass, PeerId{i + 1}, deposit_of(1, 10));
  }
  EXPECT_FALSE(can_put(state, kSilver, {}));
  EXPECT_TRUE(can_put(state, kGoldClass, PeerId{1}));
}

}  // namespace
}  // namespace dunlin::sched::books
