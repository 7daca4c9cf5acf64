// SPDX-License-Identifier: MIT
#include "node/reach/ways.h"

#include <gmock/gmock.h>
#include <vector>

namespace dunlin::node {
namespace {

using overlay::Address;
using overlay::PeerId;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

Address at_port(const std::string& text) {
  return overlay::parse_address(text, 7700).value();
}

class WaysTest : public ::testing::Test {
 protected:
  WaysTest() { ways.set_own({{at_port("10.0.0.1"), 96 + 24}}); }

  Address route(const Address& to) { return ways.route({kNode, to}, now); }
  void heard(const Address& from) { ways.heard(kNode, from, now); }
  /// The addresses that are asked now.
  std::vector<Address> asked() {
    questions.clear();
    ways.ask(now, [this] { return ++drawn; }, questions);
    std::vector<Address> all;
    for (const Ways::Question& each : questions) all.push_back(each.to.address);
    return all;
  }
  /// The node answers the challenge that was sent there, from wherever it speaks.
  void answer(const Address& asked_at, const Address& from) {
    for (const Ways::Question& each : questions) {
      if (each.to.address != asked_at) continue;
      heard(from);
      ways.answered(kNode, each.challenge, now);
    }
  }
  /// It speaks and is spoken to for so long.
  void talk(seconds span, const Address& told, const Address& from) {
    for (seconds passed{0}; passed < span; passed += seconds(1)) {
      now += seconds(1);
      route(told);
      heard(from);
      asked();
    }
  }

  static constexpr PeerId kNode{7};
  const Address told = at_port("172.17.0.1");
  const Address real = at_port("10.0.0.2");
  Ways ways;
  overlay::Time now{seconds(1000)};
  std::uint64_t drawn = 0;
  std::vector<Ways::Question> questions;
};

TEST_F(WaysTest, ANodeThatIsWhereItSaysIsNeverAsked) {
  EXPECT_EQ(route(real), real);
  heard(real);
  for (int i = 0; i < 100; ++i) {
    now += seconds(1);
    EXPECT_EQ(route(real), real);
    EXPECT_THAT(asked(), IsEmpty());
    heard(real);
  }
  EXPECT_FALSE(ways.unreached(kNode, real, now));
}

// It tells the address of a bridge, and is heard from another one.
TEST_F(WaysTest, WhatLeadsNowhereGoesWhereTheNodeIsHeard) {
  route(told);
  heard(real);
  EXPECT_EQ(route(told), real);
  EXPECT_THAT(asked(), ElementsAre(told)) << "it may work all the same";
  EXPECT_FALSE(ways.unreached(kNode, told, now)) << "it has had no time to answer";
  talk(seconds(12), told, real);
  EXPECT_EQ(route(told), real);
  const auto unreached = ways.unreached(kNode, told, now);
  ASSERT_TRUE(unreached);
  EXPECT_EQ(unreached->told, told);
  EXPECT_EQ(unreached->works, real);
  EXPECT_FALSE(ways.unreached(kNode, real, now));
}

TEST_F(WaysTest, AnAddressThatAnswersIsUsedThoughTheNodeSpeaksFromAnother) {
  route(told);
  heard(real);
  EXPECT_THAT(asked(), ElementsAre(told));
  answer(told, real);
  EXPECT_EQ(route(told), told);
  for (int i = 0; i < 120; ++i) {
    now += seconds(1);
    heard(real);
    EXPECT_EQ(route(told), told);
    if (!asked().empty()) answer(told, real);
  }
  EXPECT_FALSE(ways.unreached(kNode, told, now));
}

TEST_F(WaysTest, AnAddressThatAnsweredOnceDoesNotLeadThereForEver) {
  route(told);
  heard(real);
  asked();
  answer(told, real);
  EXPECT_EQ(route(told), told);
  talk(seconds(60), told, real);
  EXPECT_EQ(route(told), real);
  EXPECT_TRUE(ways.unreached(kNode, told, now));
}

TEST_F(WaysTest, OneThatIsUnreachableIsAskedAgain) {
  route(told);
  heard(real);
  talk(seconds(20), told, real);
  ASSERT_TRUE(ways.unreached(kNode, told, now));
  bool again = false;
  for (int i = 0; i < 60 && !again; ++i) {
    now += seconds(1);
    route(told);
    heard(real);
    again = !asked().empty();
  }
  ASSERT_TRUE(again);
  answer(told, real);
  EXPECT_FALSE(ways.unreached(kNode, told, now)) << "the firewall was opened";
  EXPECT_EQ(route(told), told);
}

// It is known by gossip alone, and others say where it is.
TEST_F(WaysTest, HintsAreTriedAndTheBestThatAnswersIsUsed) {
  const Address far = at_port("192.168.9.2");
  EXPECT_EQ(route(told), told);
  EXPECT_THAT(ways.take_lost(now), IsEmpty());
  now += seconds(2);
  EXPECT_EQ(route(told), told);
  EXPECT_THAT(ways.take_lost(now), ElementsAre(kNode));
  EXPECT_THAT(ways.take_lost(now), IsEmpty()) << "not at every look";
  EXPECT_THAT(asked(), ElementsAre(told));
  const std::vector<Address> hints = {far, real};
  ways.hint(kNode, hints, now);
  EXPECT_THAT(asked(), UnorderedElementsAre(far, real));
  const auto sent = questions;
  answer(far, far);
  EXPECT_EQ(route(told), far);
  questions = sent;
  answer(real, real);
  EXPECT_EQ(route(told), real) << "of the own network";
}

TEST_F(WaysTest, ANodeThatFallsSilentIsLookedForAtAllItsAddresses) {
  const Address second = at_port("10.0.0.3");
  const std::vector<Address> hints = {real, second};
  heard(real);
  ways.hint(kNode, hints, now);
  now += seconds(5);
  EXPECT_EQ(route(real), real);
  EXPECT_THAT(asked(), IsEmpty());
  now += Ways::kSilence + seconds(1);
  EXPECT_EQ(route(real), real) << "what led there is remembered";
  EXPECT_THAT(asked(), UnorderedElementsAre(real, second));
  answer(second, second);
  now += Ways::kHeardFor;
  heard(second);
  EXPECT_EQ(route(real), second);
}

TEST_F(WaysTest, ADeadNodeIsNotAskedWithoutEnd) {
  std::size_t asked_in_all = 0;
  for (int i = 0; i < 60; ++i) {
    if (i < 10) route(told);
    asked_in_all += asked().size();
    now += seconds(1);
  }
  EXPECT_LE(asked_in_all, 6u);
  now += Ways::kWantedFor;
  asked();
  EXPECT_THAT(ways.in_question(), IsEmpty());
}

TEST_F(WaysTest, AnswersOfAnotherNodeCountForNothing) {
  route(told);
  heard(real);
  asked();
  ways.answered(PeerId{8}, questions.front().challenge, now);
  ways.answered(kNode, 999, now);
  ways.answered(kNode, 0, now);
  EXPECT_EQ(route(told), real);
}

TEST_F(WaysTest, NewsAreToldOnce) {
  heard(real);
  EXPECT_THAT(ways.take_new(), ElementsAre(kNode));
  heard(real);
  EXPECT_THAT(ways.take_new(), IsEmpty());
  heard(told);
  EXPECT_THAT(ways.take_new(), ElementsAre(kNode)) << "it is seen elsewhere";
  EXPECT_TRUE(ways.is_heard_from(told, now));
  EXPECT_FALSE(ways.is_heard_from(real, now));
  EXPECT_EQ(ways.heard_from(kNode), told);
  EXPECT_THAT(ways.near(now), ElementsAre(kNode));
  now += seconds(60);
  EXPECT_THAT(ways.near(now), IsEmpty());
}

TEST_F(WaysTest, AContactWithoutAnIdGoesWhereItIsSaid) {
  EXPECT_EQ(ways.route({{}, told}, now), told);
  EXPECT_EQ(ways.size(), 0u);
}

TEST_F(WaysTest, AddressesAndNodesAreBounded) {
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::vector<Address> hints = {Address::v4(0x0a000000 + i, 7700)};
    ways.hint(kNode, hints, now);
  }
  EXPECT_LE(ways.addresses_of(kNode, now).size(), Ways::kAddressesMax);
  for (std::uint64_t id = 100; id < 100 + 2 * Ways::kNodesMax; ++id) {
    ways.heard(PeerId{id}, real, now);
  }
  EXPECT_EQ(ways.size(), Ways::kNodesMax);
  now += std::chrono::minutes(5);
  ways.heard(PeerId{1}, real, now);
  EXPECT_EQ(ways.size(), 1u) << "those that are gone make room";
}

// By an earlier process of this node.
TEST_F(WaysTest, WhatWorkedBeforeIsTriedFirst) {
  ways.remember(kNode, {.told = told, .works = real}, now);
  EXPECT_EQ(route(told), real);
  EXPECT_THAT(asked(), UnorderedElementsAre(told, real)) << "it may be otherwise by now";
  answer(told, told);
  EXPECT_EQ(route(told), told);
}

TEST_F(WaysTest, WhatWorkedBeforeIsGivenUpWhereTheNodeIsSilent) {
  ways.remember(kNode, {.told = told, .works = real}, now);
  EXPECT_EQ(route(told), real);
  now += seconds(1);
  EXPECT_EQ(route(told), told);
}

TEST_F(WaysTest, ANewerWordOfTheNodeCountsMoreThanWhatWorkedBefore) {
  ways.remember(kNode, {.told = told, .works = real}, now);
  EXPECT_EQ(route(at_port("10.0.0.9")), at_port("10.0.0.9"));
  ways.heard(kNode, at_port("10.0.0.9"), now);
  EXPECT_EQ(route(told), at_port("10.0.0.9")) << "it was heard since";
}

}  // namespace
}  // namespace dunlin::node
