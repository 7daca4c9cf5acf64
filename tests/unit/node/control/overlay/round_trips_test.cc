// SPDX-License-Identifier: MIT
#include "node/control/overlay/round_trips.h"

#include <gtest/gtest.h>

#include "overlay/message.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

constexpr overlay::PeerId kOsprey{2};
constexpr overlay::PeerId kForeigner{3};
constexpr overlay::Time kTripsBegin{100s};

class RoundTripsTest : public ::testing::Test {
 protected:
  /// A ping is answered after so long.
  void exchange(overlay::PeerId with, overlay::Duration trip) {
    ++number_;
    trips.on_sent(now, with, overlay::Ping{.request = number_});
    now += trip;
    trips.on_received(now, with, overlay::Pong{.request = number_});
  }

  RoundTrips trips;
  overlay::Time now = kTripsBegin;

 private:
  std::uint64_t number_ = 0;
};

TEST_F(RoundTripsTest, ANodeThatNeverAnsweredHasNone) {
  EXPECT_FALSE(trips.of(kOsprey));
  trips.on_sent(now, kOsprey, overlay::Ping{.request = 7});
  EXPECT_FALSE(trips.of(kOsprey));
}

TEST_F(RoundTripsTest, EachKindOfExchangeIsMeasured) {
  trips.on_sent(now, {11}, overlay::ShuffleRequest{.request = 1});
  trips.on_sent(now, {12}, overlay::GradientRequest{.request = 2});
  trips.on_sent(now, {13}, overlay::Ping{.request = 3});
  trips.on_received(now + 1ms, {11}, overlay::ShuffleReply{.request = 1});
  trips.on_received(now + 2ms, {12}, overlay::GradientReply{.request = 2});
  trips.on_received(now + 3ms, {13}, overlay::Pong{.request = 3});
  ASSERT_TRUE(trips.of({11}) && trips.of({12}) && trips.of({13}));
  EXPECT_EQ(trips.of({11})->usual, 1ms);
  EXPECT_EQ(trips.of({12})->usual, 2ms);
  EXPECT_EQ(trips.of({13})->usual, 3ms);
  EXPECT_EQ(trips.of({13})->at, now + 3ms);
}

TEST_F(RoundTripsTest, OneSlowAnswerDoesNotMakeANodeFar) {
  exchange(kOsprey, 1ms);
  exchange(kOsprey, 9ms);
  EXPECT_EQ(trips.of(kOsprey)->usual, 2ms) << "an eighth of what it is off";
  for (int i = 0; i < 60; ++i) exchange(kOsprey, 10ms);
  EXPECT_GT(trips.of(kOsprey)->usual, 9ms) << "but it follows what lasts";
}

// An answer counts once, from the node that was asked, and to the question that was asked.
TEST_F(RoundTripsTest, WhatNobodyAskedForIsNoAnswer) {
  trips.on_received(now, kForeigner, overlay::Pong{.request = 7});
  trips.on_sent(now, kOsprey, overlay::Ping{.request = 7});
  trips.on_received(now + 1ms, kForeigner, overlay::Pong{.request = 7});
  trips.on_received(now + 1ms, kOsprey, overlay::Pong{.request = 8});
  trips.on_received(now + 1ms, kOsprey, overlay::Ping{.request = 7});
  EXPECT_FALSE(trips.of(kForeigner));
  EXPECT_FALSE(trips.of(kOsprey));
  trips.on_received(now + 4ms, kOsprey, overlay::Pong{.request = 7});
  trips.on_received(now + 9s, kOsprey, overlay::Pong{.request = 7});
  EXPECT_EQ(trips.of(kOsprey)->usual, 4ms);
  EXPECT_EQ(trips.of(kOsprey)->at, now + 4ms);
}

// Pings in a row have one number: which of them was answered cannot be told.
TEST_F(RoundTripsTest, AQuestionThatWasSentTwiceIsNotMeasured) {
  trips.on_sent(now, kOsprey, overlay::Ping{.request = 7});
  trips.on_sent(now + 500ms, kOsprey, overlay::Ping{.request = 7});
  trips.on_received(now + 501ms, kOsprey, overlay::Pong{.request = 7});
  EXPECT_FALSE(trips.of(kOsprey));
  exchange(kOsprey, 2ms);
  EXPECT_EQ(trips.of(kOsprey)->usual, 2ms);
}

// A clock that was set back, or an owner that is not known yet: nothing is made of it.
TEST_F(RoundTripsTest, WhatCannotBeIsIgnored) {
  trips.on_sent(now, kOsprey, overlay::Ping{.request = 7});
  trips.on_received(now - 1s, kOsprey, overlay::Pong{.request = 7});
  trips.on_sent(now, {}, overlay::Ping{.request = 8});
  trips.on_received(now, {}, overlay::Pong{.request = 8});
  trips.on_sent(now, kOsprey, overlay::Leave{.incarnation = 1});
  EXPECT_FALSE(trips.of(kOsprey));
  EXPECT_FALSE(trips.of({}));
}

TEST_F(RoundTripsTest, WhatIsKeptIsBounded) {
  for (std::uint64_t i = 0; i <= RoundTrips::kAskedMax; ++i) {
    trips.on_sent(now, {100 + i}, overlay::Ping{.request = 5});
  }
  trips.on_received(now + 1ms, {100}, overlay::Pong{.request = 5});
  EXPECT_FALSE(trips.of({100})) << "the oldest question is forgotten";
  trips.on_received(now, {101}, overlay::Pong{.request = 5});
  EXPECT_TRUE(trips.of({101}));
  for (std::uint64_t i = 0; i < RoundTrips::kTripsMax; ++i) exchange({1000 + i}, 1ms);
  EXPECT_FALSE(trips.of({101})) << "and the node that answered longest ago";
  EXPECT_TRUE(trips.of({1000}));
}

}  // namespace
}  // namespace dunlin::node
