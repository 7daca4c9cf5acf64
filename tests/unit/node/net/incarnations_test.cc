// SPDX-License-Identifier: MIT
#include "node/net/bytes.h"
#include "tests/unit/node/net/sealing_node.h"

// A node that forgot its incarnations, and an attacker that abuses what peers tell such a node.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using overlay::Address;
using overlay::Time;
using Node = SealingNode;

constexpr Address kHere = Address::v4(0x0a000001, 7700);
constexpr Address kThere = Address::v4(0x0a000002, 7700);

/// The datagram with its sealed part spoilt, as a stranger would send it.
Datagram forged(Datagram datagram) {
  datagram[datagram::kHeader + 3] ^= std::byte{1};
  return datagram;
}

class Incarnations : public ::testing::Test {
 protected:
  Incarnations() { introduce(before, peer); }

  Node before{test_keyring(), 100};
  Node peer;
  /// The same node without its memory.
  Node after{test_keyring(), 7, before.identity};
};

TEST_F(Incarnations, AnEarlierOneIsDroppedAndToldHowItIsKnown) {
  const Opened refused = peer.open(after.introduce(peer.id()));
  EXPECT_EQ(refused.dropped, DropReason::superseded);
  EXPECT_EQ(refused.from, before.id()) << "proven";
  EXPECT_FALSE(refused.greet);
  ASSERT_TRUE(refused.tell);
  EXPECT_EQ(*refused.tell, (KnownAs{.incarnation = 100, .address = kHere, .counter = 1}));
  EXPECT_TRUE(refused.first);

  // What it is told comes with an introduction, and asks for no greeting.
  const Opened told = after.open(peer.introduce(after.id(), "you were 100", 0));
  EXPECT_FALSE(told.dropped);
  EXPECT_EQ(told.from, peer.id());
  EXPECT_TRUE(told.link_only);
  EXPECT_EQ(after.body, "you were 100");
  EXPECT_FALSE(told.greet) << "a greeting of 7 would be dropped, too, and told again, and so on";

  after.sealer.raise(101);
  const Opened again = peer.open(after.introduce(peer.id()));
  EXPECT_FALSE(again.dropped);
  EXPECT_TRUE(again.reinstated);
  EXPECT_FALSE(after.dropped(peer.seal(after.id(), "welcome back")));
  EXPECT_FALSE(peer.open(after.seal(peer.id(), "more")).reinstated) << "once";
}

TEST_F(Incarnations, APairedOneIsToldAsWell) {
  // The peer restarts as well, hears the later one first, and then the earlier.
  Node again(test_keyring(), 2, peer.identity);
  introduce(after, again);
  introduce(before, again);
  const Opened refused = again.open(after.seal(again.id(), "x"));
  EXPECT_EQ(refused.dropped, DropReason::superseded);
  EXPECT_TRUE(refused.tell);
}

// It does not know that it was a later one, and neither can read what is sealed for that one.
TEST_F(Incarnations, WhatIsSealedForALaterOneMakesItIntroduceItself) {
  const Opened stale = after.open(peer.seal(before.id(), "for incarnation 100"));
  EXPECT_EQ(stale.dropped, DropReason::stale_incarnation);
  EXPECT_TRUE(stale.introduce);
  EXPECT_TRUE(stale.body.empty());
  EXPECT_TRUE(peer.open(after.introduce(stale.from)).tell);
}

TEST_F(Incarnations, ItIsToldOnceASecondHoweverOftenItSpeaks) {
  const Time begin{10s};
  int told = 0;
  int first = 0;
  for (int i = 0; i < 1000; ++i) {
    const Opened refused = peer.open(after.introduce(peer.id()), begin + i * 10ms);  // For 10 s.
    EXPECT_EQ(refused.dropped, DropReason::superseded);
    told += refused.tell.has_value();
    first += refused.first;
  }
  EXPECT_EQ(told, 10);
  EXPECT_EQ(first, 1) << "one line in the log";
}

// A recording of what a node said before its restart makes its peers say a little, without harm.
TEST_F(Incarnations, AReplayMakesNoMoreThanAWordASecond) {
  const Datagram introduction = after.introduce({});
  int told = 0;
  for (int i = 0; i < 1000; ++i) {
    told += peer.open(introduction, Time{10s} + i * 1ms, kThere).tell.has_value();
  }
  EXPECT_EQ(told, 1);
  EXPECT_EQ(peer.body, "");
  EXPECT_FALSE(peer.dropped(before.seal(peer.id(), "the true one goes on")));
  // The node as it is hears that it is known as what it is, and that concerns it not.
  EXPECT_FALSE(before.dropped(peer.seal(before.id(), "you are 100")));
}

TEST_F(Incarnations, AStrangerMakesNobodySayAnything) {
  const Opened opened = peer.open(forged(after.introduce(peer.id())));
  EXPECT_EQ(opened.dropped, DropReason::forged);
  EXPECT_FALSE(opened.tell);
  // Nor does a member of the cluster that is not the node: it can seal, but not sign.
  Node insider(test_keyring(), 7);
  Datagram claimed = insider.introduce(peer.id());
  std::ranges::copy(std::as_bytes(std::span(before.identity.public_key())), claimed.begin() + 22);
  EXPECT_EQ(peer.open(claimed).dropped, DropReason::forged);
  const Opened told = after.open(forged(peer.introduce(after.id(), "you were 4000000000", 0)));
  EXPECT_EQ(told.dropped, DropReason::forged);
  EXPECT_FALSE(told.link_only);
}

TEST_F(Incarnations, AnotherAddressIsToldOfTheFirst) {
  ASSERT_FALSE(peer.open(before.seal(peer.id(), "x"), Time{10s}, kHere).tell);
  const Opened moved = peer.open(before.seal(peer.id(), "x"), Time{20s}, kThere);
  EXPECT_FALSE(moved.dropped) << "a node may move";
  ASSERT_TRUE(moved.tell);
  EXPECT_EQ(*moved.tell, (KnownAs{.incarnation = 100, .address = kHere, .counter = 2}));
  EXPECT_FALSE(peer.open(before.seal(peer.id(), "x"), Time{30s}, kThere).tell) << "it has moved";
  // A restart at another address is nothing to tell.
  Node restarted(test_keyring(), 101, before.identity);
  EXPECT_FALSE(peer.open(restarted.introduce(peer.id()), Time{40s}, kHere).tell);
}

// A machine with restored memory goes on as the same incarnation, and counts from where it
// was.
TEST_F(Incarnations, ANodeThatCountsAgainIsToldHowFarItHadCounted) {
  while (before.sealer.counter() < 5000) (void)before.seal(peer.id(), "said and done");
  ASSERT_FALSE(peer.dropped(before.seal(peer.id(), "said last")));
  Node resumed(test_keyring(), 100, before.identity);
  ASSERT_FALSE(resumed.dropped(peer.introduce(resumed.id())));  // The peer speaks first.
  const Opened repeated = peer.open(resumed.seal(peer.id(), "x"));
  EXPECT_EQ(repeated.dropped, DropReason::replayed);
  EXPECT_EQ(repeated.from, before.id()) << "proven";
  ASSERT_TRUE(repeated.tell);
  EXPECT_EQ(*repeated.tell, (KnownAs{.incarnation = 100, .address = kHere, .counter = 5001}));
  EXPECT_GT(repeated.tell->counter, resumed.sealer.counter()) << "so it knows that it forgot";
  EXPECT_FALSE(peer.open(resumed.seal(peer.id(), "x")).tell) << "once a second";
  resumed.sealer.raise(101);
  EXPECT_FALSE(peer.dropped(resumed.seal(peer.id(), "heard again")));
  EXPECT_EQ(peer.body, "heard again");
}

TEST_F(Incarnations, ADatagramSaidTwiceTellsItsSenderNothingNew) {
  const Datagram once = before.seal(peer.id(), "x");
  ASSERT_FALSE(peer.dropped(once));
  const Opened again = peer.open(once, Time{20s}, kThere);  // By an attacker.
  EXPECT_EQ(again.dropped, DropReason::replayed);
  ASSERT_TRUE(again.tell);
  EXPECT_LE(again.tell->counter, before.sealer.counter());
}

class TwinDatagrams : public Incarnations {
 protected:
  static Datagram seal(Node& node, std::string_view body) {
    Datagram buffer(datagram::kOverheadMax + body.size());
    std::ranges::copy(std::as_bytes(std::span(body)), buffer.begin() + datagram::kHeadroom);
    const auto sealed = node.sealer.seal_for_twin(buffer, body.size());
    return {sealed.begin(), sealed.end()};
  }
};

TEST_F(TwinDatagrams, PassBetweenHoldersOfOneIdentity) {
  const Opened opened = after.open(seal(before, "are you me?"));
  EXPECT_FALSE(opened.dropped);
  EXPECT_EQ(opened.from, before.id());
  EXPECT_TRUE(opened.link_only) << "a twin is no peer: it has no say in gossip or jobs";
  EXPECT_EQ(after.body, "are you me?");
  const Opened reflected = before.open(seal(before, "are you me?"));
  EXPECT_FALSE(reflected.dropped) << "the nonce in the body tells that it is one's own";
}

TEST_F(TwinDatagrams, AreNobodyElses) {
  EXPECT_EQ(peer.dropped(seal(before, "x")), DropReason::forged);
  // A member that claims to be us.
  Datagram claimed = seal(peer, "x");
  std::ranges::copy(std::as_bytes(std::span(before.identity.public_key())), claimed.begin() + 22);
  EXPECT_EQ(before.dropped(claimed), DropReason::forged);
  for (std::size_t i = 6; i < claimed.size(); ++i) {
    Datagram spoilt = seal(before, "x");
    spoilt[i] ^= std::byte{0x10};
    EXPECT_EQ(after.dropped(spoilt), DropReason::forged) << i;
  }
}

TEST_F(TwinDatagrams, NeverRepeatANonce) {
  // Even two processes that were one: their salt and counter are the same.
  const Datagram one = seal(before, "x");
  const Datagram other = seal(before, "x");
  EXPECT_FALSE(
      std::ranges::equal(std::span(one).subspan(54, 16), std::span(other).subspan(54, 16)));
}

}  // namespace
}  // namespace dunlin::node
