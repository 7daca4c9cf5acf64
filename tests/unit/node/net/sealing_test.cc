// SPDX-License-Identifier: MIT
#include "node/net/sealing.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "node/net/bytes.h"
#include "node/net/derive.h"
#include "tests/unit/node/net/sealing_node.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using overlay::Address;
using overlay::PeerId;
using overlay::Time;
using Node = SealingNode;

std::uint8_t& byte_at(Datagram& datagram, std::size_t i) {
  return reinterpret_cast<std::uint8_t&>(datagram[i]);
}

TEST(Sealing, IntroducesGreetsAndPairs) {
  Node a;
  Node b;
  EXPECT_FALSE(a.has_met(b.id()));
  const Opened called = b.open(a.introduce({}));  // To any node at that address.
  ASSERT_FALSE(called.dropped);
  EXPECT_EQ(called.from, a.id());
  EXPECT_TRUE(called.link_only);
  ASSERT_TRUE(called.greet) << "a does not know the incarnation of b yet";
  EXPECT_FALSE(a.has_met(b.id()));

  const Opened greeted = a.open(b.greet(*called.greet));
  ASSERT_FALSE(greeted.dropped);
  EXPECT_EQ(greeted.from, b.id());
  EXPECT_EQ(greeted.echo, Node::kChallenge);
  EXPECT_TRUE(greeted.body.empty());

  for (const std::size_t size : {0u, 5u, 1000u}) {
    const Opened opened = b.open(a.seal(b.id(), std::string(size, 'x')));
    ASSERT_FALSE(opened.dropped);
    EXPECT_EQ(opened.from, a.id());
    EXPECT_FALSE(opened.greet || opened.link_only || opened.introduce);
    EXPECT_EQ(b.body, std::string(size, 'x'));
    ASSERT_FALSE(a.dropped(b.seal(a.id(), "answer")));
    EXPECT_EQ(a.body, "answer");
  }
}

TEST(Sealing, RefusesEveryTruncationAndEveryChangedByte) {
  for (const bool paired : {false, true}) {
    Node a;
    Node b;
    if (paired) introduce(a, b);
    const Datagram good =
        paired ? a.seal(b.id(), "some body") : a.introduce(b.id(), "some link message");
    for (std::size_t size = 0; size < good.size(); ++size) {
      const auto reason = b.dropped({good.begin(), good.begin() + static_cast<long>(size)});
      ASSERT_TRUE(reason) << size;
      EXPECT_EQ(*reason, size < datagram::kOverhead ? DropReason::too_short : DropReason::forged);
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
      Datagram bad = good;
      byte_at(bad, i) ^= 0x40;
      const auto reason = b.dropped(bad);
      ASSERT_TRUE(reason) << i;
      const auto expected = i == 0          ? DropReason::other_version
          : i == 1                          ? DropReason::version
          : i < 4                           ? DropReason::wrong_cluster
          : i < 6                           ? DropReason::key
          : paired && i >= 10 && i < 10 + 4 ? DropReason::stale_incarnation
                                            : DropReason::forged;
      EXPECT_EQ(*reason, expected) << i;
    }
    Datagram longer = good;
    longer.push_back(std::byte{0});
    EXPECT_EQ(b.dropped(longer), DropReason::forged);
    EXPECT_FALSE(b.dropped(good)) << "and the true one still passes";
  }
}

TEST(Sealing, RefusesOversizeOwnAndMisdirected) {
  Node a;
  Node b;
  Node c;
  EXPECT_EQ(b.dropped(Datagram(datagram::kMax + 1)), DropReason::too_long);
  EXPECT_EQ(a.dropped(a.introduce(b.id())), DropReason::own);
  EXPECT_EQ(c.dropped(a.introduce(b.id())), DropReason::misdirected);
  introduce(a, b);
  EXPECT_EQ(a.dropped(a.seal(b.id(), "x")), DropReason::own);
  EXPECT_EQ(c.dropped(a.seal(b.id(), "x")), DropReason::forged) << "paired with b only";
}

TEST(Sealing, RefusesReplaysAndTakesReordered) {
  Node a;
  Node b;
  const Datagram introduction = a.introduce(b.id());
  const Opened called = b.open(introduction);
  ASSERT_TRUE(called.greet);
  EXPECT_EQ(b.dropped(introduction), DropReason::replayed);
  const Datagram greeting = b.greet(*called.greet);
  ASSERT_FALSE(a.dropped(greeting));
  EXPECT_EQ(a.dropped(greeting), DropReason::replayed);

  std::vector<Datagram> sent;
  for (int i = 0; i < 3000; ++i) sent.push_back(a.seal(b.id(), std::to_string(i)));
  // The newest first: all within the window pass, once; those too old never.
  std::size_t passed = 0;
  for (std::size_t i = sent.size(); i-- > 0;) {
    const bool recent = sent.size() - i <= ReplayWindow::kSpan;
    const auto reason = b.dropped(sent[i]);
    EXPECT_EQ(!reason, recent) << i;
    passed += !reason;
    EXPECT_EQ(b.dropped(sent[i]), DropReason::replayed);
  }
  EXPECT_EQ(passed, ReplayWindow::kSpan);
}

TEST(Sealing, RefusesOtherKeysAndClusters) {
  Node a;
  Node other_key(test_keyring('b'));
  Node other_cluster(test_keyring('a', "other"));
  EXPECT_EQ(other_key.dropped(a.introduce({})), DropReason::key);
  EXPECT_EQ(other_cluster.dropped(a.introduce({})), DropReason::wrong_cluster);

  // A liar that knows names and fingerprints, but not the key, gets no further.
  Datagram lie = other_key.introduce({});
  put(reinterpret_cast<std::uint8_t*>(lie.data()) + 4, test_keyring().primary().id);
  EXPECT_EQ(a.dropped(lie), DropReason::forged);
}

TEST(Sealing, RefusesAMemberUnderAnothersName) {
  // A member of the cluster seals well, but signs with its own key what it sends as another one.
  const Keyring keyring = test_keyring();
  Node victim(keyring);
  Node member(keyring);
  Node b(keyring);
  Datagram lie = member.introduce(b.id());
  // Rebuild it around the victim's public key, sealed with the cluster's key as any member can.
  auto* const header = reinterpret_cast<std::uint8_t*>(lie.data());
  const auto group = derive_secret<32>({keyring.primary().secret.data(), 32},
      "dunlin datagram group", {bytes_of(keyring.cluster())});
  std::array<std::uint8_t, 24> nonce;
  std::copy_n(header + 54, 16, nonce.begin());
  std::copy_n(header + 14, 8, nonce.begin() + 16);
  std::uint8_t* const text = header + datagram::kHeader;
  const std::size_t sealed = lie.size() - datagram::kHeader;
  ASSERT_EQ(crypto_aead_xchacha20poly1305_ietf_decrypt(text, nullptr, nullptr, text, sealed, header,
                datagram::kHeader, nonce.data(), group.data()),
      0);
  std::ranges::copy(victim.identity.public_key(), header + 22);
  crypto_aead_xchacha20poly1305_ietf_encrypt(text, nullptr, text, sealed - datagram::kTag, header,
      datagram::kHeader, nullptr, nonce.data(), group.data());
  EXPECT_EQ(b.dropped(lie), DropReason::signature);
  EXPECT_FALSE(b.dropped(victim.introduce(b.id()))) << "and the victim is not locked out";
}

TEST(Sealing, RotatesKeysWithoutLosingPeers) {
  Node a(test_keyring('a'));
  Node b(test_keyring('a'));
  introduce(a, b);
  const auto both_ways = [&] {
    // Rotation must not forget which peer has which key.
    EXPECT_FALSE(b.dropped(a.seal(b.id(), "x")));
    EXPECT_FALSE(a.dropped(b.seal(a.id(), "x")));
  };
  a.sealer.rotate(test_keyring_of_two('a', 'b'));
  b.sealer.rotate(test_keyring_of_two('a', 'b'));
  both_ways();
  a.sealer.rotate(test_keyring_of_two('b', 'a'));
  both_ways();  // One seals with the new key, one with the old.
  b.sealer.rotate(test_keyring_of_two('b', 'a'));
  both_ways();
  a.sealer.rotate(test_keyring('b'));
  b.sealer.rotate(test_keyring('b'));
  both_ways();
  Node late(test_keyring('a'));
  EXPECT_EQ(a.dropped(late.introduce(a.id())), DropReason::key);
}

TEST(Sealing, HealsWhenTheReceiverRestarts) {
  Node a;
  Node b;
  introduce(a, b);
  const Datagram to_old_life = a.seal(b.id(), "lost");
  const Datagram from_old_life = b.seal(a.id(), "from the grave");
  Node b2(test_keyring(), 2, b.identity);

  const Opened stale = b2.open(to_old_life);
  EXPECT_EQ(stale.dropped, DropReason::stale_incarnation);
  ASSERT_TRUE(stale.introduce);
  const Opened called = a.open(b2.introduce(stale.from));
  ASSERT_FALSE(called.dropped);
  EXPECT_FALSE(b2.dropped(a.seal(b.id(), "now")));
  EXPECT_EQ(b2.body, "now");
  EXPECT_EQ(a.dropped(from_old_life), DropReason::superseded);
  EXPECT_FALSE(a.dropped(b2.seal(a.id(), "back")));
}

TEST(Sealing, HealsWhenTheSenderRestarts) {
  Node a;
  Node b;
  introduce(a, b);
  Node a2(test_keyring(), 2, a.identity);
  introduce(a2, b);
  EXPECT_FALSE(b.dropped(a2.seal(b.id(), "new incarnation")));
  EXPECT_EQ(b.dropped(a.seal(b.id(), "old incarnation")), DropReason::superseded);
  EXPECT_FALSE(a2.dropped(b.seal(a.id(), "to the new incarnation")));
}

TEST(Sealing, AStreamTellsOfAnIncarnationButNotItsKey) {
  Node a;
  Node b;
  introduce(a, b);
  a.sealer.meet(b.identity.public_key(), 2);
  EXPECT_FALSE(a.has_met(b.id())) << "its present process has another ephemeral key";
}

TEST(Sealing, LimitsEachAddressAlone) {
  Node a;
  Node b;
  std::size_t looked_at = 0;
  const Datagram garbage = [&] {
    Datagram bytes = a.introduce(b.id());
    byte_at(bytes, 120) ^= 1;
    return bytes;
  }();
  for (std::uint32_t i = 0; i < 3 * kRate; ++i) {
    const auto reason = b.dropped(garbage);
    ASSERT_TRUE(reason);
    looked_at += *reason == DropReason::forged;
    ASSERT_TRUE(*reason == DropReason::forged || *reason == DropReason::rate);
  }
  EXPECT_EQ(looked_at, 2 * kRate) << "two seconds' worth at once";
  EXPECT_EQ(b.open(garbage, Time{2s}).dropped, DropReason::forged) << "a second later";
  // Others are not concerned, but for the one in 4096 that shares a bucket.
  int passed = 0;
  for (std::uint32_t i = 2; i < 12; ++i) {
    Datagram good = a.introduce(b.id());
    passed += !b.sealer.open(good, Address::v4(0x0a000000 + i, 1), Time{1s}).dropped;
  }
  EXPECT_GE(passed, 8);
}

TEST(Sealing, LimitsWhatUnknownKeysCost) {
  Node b;
  std::size_t agreed = 0;
  for (int i = 0; i < 1200; ++i) {
    Datagram lie(200);
    auto* const header = reinterpret_cast<std::uint8_t*>(lie.data());
    randombytes_buf(header, lie.size());
    header[0] = datagram::kVersion;
    header[1] = 1;
    put(header + 2, test_keyring().cluster_mark());
    put(header + 4, test_keyring().primary().id);
    put(header + 10, std::uint32_t{1});
    const auto reason = b.dropped(lie);
    ASSERT_TRUE(reason == DropReason::forged || reason == DropReason::rate);
    agreed += reason == DropReason::forged;
  }
  EXPECT_EQ(agreed, 1000u) << "500 a second, two seconds' worth at once";
}

TEST(ReplayWindow, JumpsFarAndBack) {
  ReplayWindow window;
  EXPECT_FALSE(window.fresh(0));
  window.mark(1);
  EXPECT_FALSE(window.fresh(1));
  window.mark(1'000'000'000);
  EXPECT_FALSE(window.fresh(1'000'000'000 - ReplayWindow::kSpan));
  for (std::uint64_t i = 1; i < ReplayWindow::kSpan; ++i) {
    ASSERT_TRUE(window.fresh(1'000'000'000 - i)) << i;
  }
  window.mark(~std::uint64_t{0});
  EXPECT_FALSE(window.fresh(1'000'000'000));
  EXPECT_FALSE(window.fresh(~std::uint64_t{0}));
}

TEST(PeerBook, ForgetsTheOneNotUsedForLongest) {
  PeerBook book;
  for (std::uint64_t i = 1; i <= PeerBook::kPeersMax; ++i) book.add({i}, {});
  EXPECT_NE(book.find({1}), nullptr);  // Used: now 2 is the last.
  book.add({1'000'000}, {});
  EXPECT_EQ(book.size(), PeerBook::kPeersMax);
  EXPECT_NE(book.find({1}), nullptr);
  EXPECT_EQ(book.find({2}), nullptr);
}

}  // namespace
}  // namespace dunlin::node
