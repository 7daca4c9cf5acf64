// SPDX-License-Identifier: MIT
#include "node/access/accounts.h"

#include <gmock/gmock.h>

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

class AccountsTest : public ::testing::Test {
 protected:
  /// Takes as many places as it gets; how many they are in all.
  std::size_t fill(Place place, const std::string& user, bool administrator = false) {
    const AccountPtr account = accounts.of(user);
    while (auto held = accounts.take(place, account, administrator)) {
      places.push_back(std::move(*held));
    }
    return account->places[static_cast<std::size_t>(place)];
  }
  std::string refusal(Place place, const std::string& user) {
    const auto held = accounts.take(place, accounts.of(user), false);
    return held ? "" : held.error().text;
  }

  overlay::Duration time = 10s;
  Accounts accounts{[this] { return time; }};
  std::vector<HeldPlace> places;
};

TEST_F(AccountsTest, NoUserTakesAllPlaces) {
  const Share& share = share_of(Place::client);
  EXPECT_EQ(fill(Place::client, "mallory"), share.alone);
  EXPECT_EQ(fill(Place::client, "alice"), share.user);
  EXPECT_EQ(fill(Place::client, "bob"), share.all - share.kept - share.alone - share.user);
  EXPECT_EQ(fill(Place::client, "root", true), share.kept) << "kept for them";
}

TEST_F(AccountsTest, ARefusalSaysWhoHasMost) {
  fill(Place::client, "mallory");
  EXPECT_EQ(refusal(Place::client, "mallory"),
      "80 clients are connected, 80 of them of one user, mallory; a user may have 80: end one of "
      "them");
  fill(Place::client, "alice");
  EXPECT_EQ(refusal(Place::client, "alice"),
      "112 clients are connected, 80 of them of one user, mallory; a user may have 32 beside "
      "others: end one of them");
  EXPECT_THAT(
      refusal(Place::client, "bob"), HasSubstr("there are 128, 16 of them for administrators"));
  EXPECT_EQ(accounts.of("bob")->refused, 1u);
}

TEST_F(AccountsTest, APlaceIsFreeWhenItIsNotHeldAnyMore) {
  fill(Place::follower, "mallory");
  EXPECT_EQ(places.size(), 8u);
  HeldPlace moved = std::move(places.back());
  places.pop_back();
  EXPECT_FALSE(accounts.has_room(Place::follower, *accounts.of("mallory"), false));
  moved = {};
  EXPECT_TRUE(accounts.has_room(Place::follower, *accounts.of("mallory"), false));
}

TEST_F(AccountsTest, TheLoopTurnsToOthersAfterAUsersShare) {
  const AccountPtr mallory = accounts.of("mallory");
  const AccountPtr alice = accounts.of("alice");
  accounts.charge(*mallory, 1ms);
  EXPECT_TRUE(accounts.may_run(*mallory));
  accounts.charge(*mallory, 1ms);
  EXPECT_FALSE(accounts.may_run(*mallory));
  EXPECT_TRUE(accounts.may_run(*alice));
  accounts.begin_turn();
  EXPECT_TRUE(accounts.may_run(*mallory));
  EXPECT_EQ(mallory->loop, 2ms);
}

TEST_F(AccountsTest, ATurnEndsForAll) {
  for (int user = 0; user < 10; ++user) {
    accounts.charge(*accounts.of(std::to_string(user)), Accounts::kTurnShare);
  }
  EXPECT_FALSE(accounts.may_run(*accounts.of("alice")));
}

TEST_F(AccountsTest, OneLongRequestIsFollowedByRestIfOthersAreThere) {
  const AccountPtr mallory = accounts.of("mallory");
  accounts.charge(*mallory, 300ms);
  accounts.begin_turn();
  EXPECT_TRUE(accounts.may_run(*mallory)) << "nobody else is there";
  accounts.charge(*accounts.of("alice"), 1ms);
  accounts.charge(*mallory, 300ms);
  accounts.begin_turn();
  EXPECT_FALSE(accounts.may_run(*mallory));
  EXPECT_EQ(accounts.rest_of(*mallory), 300ms);
  time += 300ms;
  EXPECT_TRUE(accounts.may_run(*mallory));
  time += Accounts::kThere;
  accounts.charge(*mallory, 300ms);
  accounts.begin_turn();
  EXPECT_TRUE(accounts.may_run(*mallory)) << "alice has gone";
}

TEST_F(AccountsTest, ForgetsAccountsThatNothingHolds) {
  fill(Place::follower, "alice");
  accounts.of("alice")->requests = 7;
  for (std::size_t i = 0; i <= Accounts::kAccountsMax; ++i) accounts.of("x" + std::to_string(i));
  EXPECT_LE(accounts.all().size(), Accounts::kAccountsMax);
  EXPECT_EQ(accounts.of("alice")->requests, 7u);
}

TEST(Census, IsOneForAllWhoAskWithinAMoment) {
  Census census;
  overlay::Time now{100s};
  int asked = 0;
  for (int i = 0; i < 24'000; ++i, now += std::chrono::nanoseconds(41'667)) {
    const auto begun = census.begin(now);
    asked += begun && begun->ask ? 1 : 0;
  }
  EXPECT_GE(asked, 4);
  EXPECT_LE(asked, 8) << "four at once, and one each 300 ms";
  EXPECT_GT(census.next(), now);
  EXPECT_LE(census.next() - now, Census::kPeriod);
  now = census.next();
  EXPECT_TRUE(census.begin(now)->ask);
  EXPECT_FALSE(census.begin(now)->ask) << "asked already";
}

}  // namespace
}  // namespace dunlin::node
