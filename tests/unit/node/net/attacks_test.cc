// SPDX-License-Identifier: MIT
#include "node/net/bytes.h"
#include "tests/unit/node/net/sealing_node.h"

// Attackers that record datagrams, send them to whomever, steal keys later, or flood; and machines
// with a wrong clock, which look like one of them.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using overlay::Address;
using overlay::Time;
using Node = SealingNode;

constexpr Address kShared = Address::v4(0x0a000001, 7700);
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kToday = 1'790'000'000 * kSecond;

TEST(Attacks, WhatIsForAnotherNodeCostsNoSignatureAndNoKey) {
  Node a;
  Node b;
  Node c(test_keyring(), 7);
  introduce(a, c);
  const Datagram sniffed = a.introduce(c.id());
  EXPECT_EQ(b.dropped(sniffed), DropReason::misdirected);
  EXPECT_EQ(b.dropped(sniffed), DropReason::replayed) << "remembered, and not even decrypted";
  // More than may be verified, or agreed upon, in two seconds.
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(b.dropped(a.introduce(c.id())), DropReason::misdirected);
    ASSERT_EQ(b.dropped(a.seal(c.id(), "x")), DropReason::stale_incarnation);
  }
  Node newcomer;
  introduce(newcomer, b);
  EXPECT_FALSE(b.dropped(newcomer.seal(b.id(), "in time")));
}

TEST(Attacks, SignaturesAreVerifiedUpToARate) {
  Node a;
  Node b;
  int verified = 0;
  for (int i = 0; i < 2500; ++i) {
    const auto reason = b.dropped(a.introduce({}));
    ASSERT_TRUE(!reason || reason == DropReason::rate);
    verified += !reason;
  }
  EXPECT_EQ(verified, 2000) << "1000 a second, two seconds' worth at once";
}

TEST(Attacks, ARecordedIntroductionMovesNobodyToMoreThanAGreeting) {
  Node a;
  Node contact;
  const Datagram join = a.introduce({});  // To a contact of which only the address is known.
  ASSERT_FALSE(contact.dropped(join));
  Node other;
  Node restarted(test_keyring(), 2, contact.identity);
  for (Node* node : {&other, &restarted}) {
    const Opened opened = node->open(join);
    EXPECT_TRUE(opened.link_only && opened.body.empty()) << "nothing to act on";
    ASSERT_TRUE(opened.greet);
    // The greeting tells the recorder nothing, and the true node only that it is there.
    EXPECT_FALSE(a.open(node->greet(*opened.greet)).dropped);
    EXPECT_EQ(node->dropped(join), DropReason::replayed);
  }
}

TEST(Attacks, AnIntroductionOfMinutesAgoIsRefused) {
  Node a;
  Node b;
  a.sealer.set_clock(kToday);
  const Datagram recorded = a.introduce(b.id(), "a link message");
  const Datagram another = a.introduce(b.id(), "a link message");
  b.sealer.set_clock(kToday + 119 * kSecond);
  EXPECT_FALSE(b.dropped(recorded));
  b.sealer.set_clock(kToday + 121 * kSecond);
  const Opened opened = b.open(another);
  EXPECT_EQ(opened.dropped, DropReason::clock);
  EXPECT_EQ(opened.clock_ahead, -121);
  EXPECT_EQ(b.dropped(another), DropReason::replayed);
}

// A copy of a node that has a wrong clock is known to others, which can tell it so in no other way:
// they do not hear it, because the copy is a later incarnation, so it cannot answer a greeting.
TEST(Attacks, AWrongClockHearsHowItIsKnown) {
  Node wrong;
  Node right;
  wrong.sealer.set_clock(kToday + 5 * 3600 * kSecond);
  right.sealer.set_clock(kToday);
  const Opened opened = wrong.open(right.introduce(wrong.id(), "you are elsewhere"));
  EXPECT_EQ(opened.dropped, DropReason::clock);
  EXPECT_TRUE(opened.link_only);
  EXPECT_EQ(wrong.body, "you are elsewhere");
  EXPECT_FALSE(wrong.has_met(right.id())) << "it may be a recording";
}

TEST(Attacks, AWrongClockKeepsNobodyOut) {
  for (const std::int64_t hours : {-5, 5}) {
    Node wrong;
    Node right;
    wrong.sealer.set_clock(kToday + hours * 3600 * kSecond);
    right.sealer.set_clock(kToday);
    const Opened called = right.open(wrong.introduce({}));
    EXPECT_EQ(called.dropped, DropReason::clock);
    EXPECT_EQ(called.clock_ahead, hours * 3600) << "so somebody can be told";
    EXPECT_FALSE(right.has_met(wrong.id())) << "it may be a recording";
    ASSERT_TRUE(called.greet);
    const Opened greeted = wrong.open(right.greet(*called.greet));
    EXPECT_FALSE(greeted.dropped);
    EXPECT_EQ(greeted.clock_ahead, -hours * 3600);
    // What is sealed for a present ephemeral key is no recording, whatever the clock.
    EXPECT_FALSE(right.dropped(wrong.seal(right.id(), "hello")));
    EXPECT_FALSE(wrong.dropped(right.seal(wrong.id(), "hello")));
  }
}

TEST(Attacks, WhatWasRecordedStaysClosedWhenIdentityAndKeyAreStolen) {
  Node a;
  Node b;
  introduce(a, b);
  const Datagram recorded = a.seal(b.id(), "a secret");
  ASSERT_FALSE(b.dropped(recorded));
  // The thief has both identities and the cluster's key, and says that it is the same incarnation.
  Node thief_of_b(test_keyring(), 1, b.identity);
  EXPECT_EQ(thief_of_b.dropped(recorded), DropReason::forged);
  Node thief_of_a(test_keyring(), 1, a.identity);
  EXPECT_EQ(thief_of_a.dropped(b.seal(a.id(), "another secret")), DropReason::forged);
}

TEST(Attacks, NoTwoFlushesShareASalt) {
  Node a;
  Node b;
  introduce(a, b);
  const auto salt_of = [](const Datagram& datagram) {
    return std::vector(datagram.begin() + 54, datagram.begin() + 54 + 16);
  };
  const Datagram one = a.seal(b.id(), "before the snapshot");
  a.sealer.draw_salt();
  const Datagram other = a.seal(b.id(), "as one that was resumed from it");
  EXPECT_NE(salt_of(one), salt_of(other));
  EXPECT_EQ(salt_of(other), salt_of(a.seal(b.id(), "of the same flush")));
}

TEST(Attacks, AFloodBehindOneAddressLeavesItsMembersTheirShare) {
  Node b;
  std::vector<std::unique_ptr<Node>> members;
  for (std::uint16_t port = 1; port <= 5; ++port) {
    members.push_back(std::make_unique<Node>());
    const Address at = Address::v4(kShared.low & 0xffffffff, port);
    ASSERT_FALSE(b.open(members.back()->introduce(b.id()), Time{1s}, at).dropped);
    ASSERT_FALSE(members.back()->dropped(b.introduce(members.back()->id())));
  }
  Datagram garbage = members[0]->introduce(b.id());
  garbage[datagram::kHeader + 5] ^= std::byte{1};
  const Address strangers = Address::v4(kShared.low & 0xffffffff, 9999);
  while (b.open(garbage, Time{1s}, strangers).dropped != DropReason::rate) {
  }
  for (std::uint16_t port = 1; port <= 5; ++port) {
    const Address at = Address::v4(kShared.low & 0xffffffff, port);
    EXPECT_FALSE(b.open(members[port - 1]->seal(b.id(), "x"), Time{1s}, at).dropped) << port;
  }
}

TEST(Attacks, AnotherVersionIsToldFromGarbage) {
  Node b;
  Datagram old(70 + 16);  // As short as one of version 1 can be.
  auto* const header = reinterpret_cast<std::uint8_t*>(old.data());
  header[0] = 1;
  put(header + 2, test_keyring().cluster_mark());
  put(header + 4, test_keyring().keys().front().id);
  EXPECT_EQ(b.dropped(old), DropReason::other_version);
  header[0] = 3;
  EXPECT_EQ(b.dropped(old), DropReason::other_version);
  header[4] ^= 1;
  EXPECT_EQ(b.dropped(old), DropReason::version) << "chance, perhaps";
  header[4] ^= 1;
  header[2] ^= 1;
  EXPECT_EQ(b.dropped(old), DropReason::version) << "another cluster's";
}

}  // namespace
}  // namespace dunlin::node
