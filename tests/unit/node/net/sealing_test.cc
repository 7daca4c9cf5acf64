// SPDX-License-Identifier: MIT
#include "node/net/sealing.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "node/net/bytes.h"
#include "node/net/derive.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using overlay::Address;
using overlay::PeerId;
using overlay::Time;
using Datagram = std::vector<std::byte>;

constexpr std::uint32_t kRate = 10'000;

/// A sealer and its identity, as one node would have them.
struct Node {
  explicit Node(const Keyring& keyring = test_keyring(),
      std::uint32_t life = 1,
      const Identity& who = Identity::generate())
      : identity(who),
        sealer(identity, keyring, life, kRate) {}

  PeerId id() const { return identity.id(); }

  Datagram seal(PeerId to, std::string_view body, bool* introduced = nullptr) {
    std::vector<std::byte> buffer(datagram::kOverheadMax + body.size());
    std::ranges::copy(std::as_bytes(std::span(body)), buffer.begin() + datagram::kHeadroom);
    const auto sealed = sealer.seal(to, buffer, body.size());
    if (introduced) *introduced = sealed.introduced;
    return {sealed.datagram.begin(), sealed.datagram.end()};
  }

  /// Opens a copy. The body is kept in `body`.
  Opened open(Datagram bytes, Time now = Time{1s}) {
    opened = std::move(bytes);
    const Opened result = sealer.open(opened, Address::v4(0x0a000001, 7700), now);
    body.assign(reinterpret_cast<const char*>(result.body.data()), result.body.size());
    return result;
  }
  std::optional<DropReason> dropped(Datagram bytes) { return open(std::move(bytes)).dropped; }

  Identity identity;
  Sealer sealer;
  Datagram opened;
  std::string body;
};

/// Each has heard from the other's present life.
void introduce(Node& a, Node& b) {
  ASSERT_FALSE(b.dropped(a.seal(b.id(), "")));
  ASSERT_FALSE(a.dropped(b.seal(a.id(), "")));
}

std::uint8_t& byte_at(Datagram& datagram, std::size_t i) {
  return reinterpret_cast<std::uint8_t&>(datagram[i]);
}

TEST(Sealing, IntroducesThenPairs) {
  Node a;
  Node b;
  bool introduced = false;
  auto opened = b.open(a.seal({}, "hello", &introduced));  // To whoever is there.
  EXPECT_TRUE(introduced);
  ASSERT_FALSE(opened.dropped);
  EXPECT_EQ(opened.from, a.id());
  EXPECT_TRUE(opened.greet) << "a does not know the life of b yet";
  EXPECT_EQ(b.body, "hello");

  a.seal(b.id(), "again", &introduced);
  EXPECT_TRUE(introduced) << "b has not been heard";
  opened = a.open(b.seal(a.id(), "answer", &introduced));
  EXPECT_FALSE(introduced);
  ASSERT_FALSE(opened.dropped);
  EXPECT_EQ(a.body, "answer");
  EXPECT_FALSE(opened.greet);

  opened = b.open(a.seal(b.id(), std::string(1000, 'x'), &introduced));
  EXPECT_FALSE(introduced);
  ASSERT_FALSE(opened.dropped);
  EXPECT_EQ(b.body, std::string(1000, 'x'));
}

TEST(Sealing, RefusesEveryTruncationAndEveryChangedByte) {
  for (const bool paired : {false, true}) {
    Node a;
    Node b;
    if (paired) introduce(a, b);
    const Datagram good = a.seal(b.id(), "some body");
    for (std::size_t size = 0; size < good.size(); ++size) {
      const auto reason = b.dropped({good.begin(), good.begin() + static_cast<long>(size)});
      ASSERT_TRUE(reason) << size;
      EXPECT_EQ(*reason,
          size < datagram::kHeader + datagram::kTag ? DropReason::too_short : DropReason::forged);
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
      Datagram bad = good;
      byte_at(bad, i) ^= 0x40;
      const auto reason = b.dropped(bad);
      ASSERT_TRUE(reason) << i;
      const auto expected = i < 2 ? DropReason::version
          : i < 4                 ? DropReason::wrong_cluster
          : i < 6                 ? DropReason::key
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
  EXPECT_EQ(a.dropped(a.seal(b.id(), "x")), DropReason::own);
  EXPECT_EQ(c.dropped(a.seal(b.id(), "x")), DropReason::misdirected);
  introduce(a, b);
  EXPECT_EQ(c.dropped(a.seal(b.id(), "x")), DropReason::forged) << "paired with b only";
}

TEST(Sealing, RefusesReplaysAndTakesReordered) {
  Node a;
  Node b;
  const Datagram introduction = a.seal(b.id(), "");
  ASSERT_FALSE(b.dropped(introduction));
  EXPECT_EQ(b.dropped(introduction), DropReason::replayed);
  ASSERT_FALSE(a.dropped(b.seal(a.id(), "")));

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
  EXPECT_EQ(other_key.dropped(a.seal({}, "x")), DropReason::key);
  EXPECT_EQ(other_cluster.dropped(a.seal({}, "x")), DropReason::wrong_cluster);

  // A liar who knows names and fingerprints, but not the key, gets no further.
  Datagram lie = other_key.seal({}, "x");
  put(reinterpret_cast<std::uint8_t*>(lie.data()) + 4, test_keyring().primary().id);
  EXPECT_EQ(a.dropped(lie), DropReason::forged);
}

TEST(Sealing, RefusesAMemberUnderAnothersName) {
  // A member of the cluster seals well, but signs with its own key what it sends as somebody else.
  const Keyring keyring = test_keyring();
  Node victim(keyring);
  Node member(keyring);
  Node b(keyring);
  Datagram lie = member.seal(b.id(), "x");
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
  EXPECT_FALSE(b.dropped(victim.seal(b.id(), "true"))) << "and the victim is not locked out";
}

TEST(Sealing, RotatesKeysWithoutLosingPeers) {
  Node a(test_keyring('a'));
  Node b(test_keyring('a'));
  introduce(a, b);
  bool introduced = false;
  const auto both_ways = [&] {
    EXPECT_FALSE(b.dropped(a.seal(b.id(), "x", &introduced)));
    EXPECT_FALSE(introduced) << "rotation must not forget who is who";
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
  EXPECT_EQ(a.dropped(late.seal(a.id(), "x")), DropReason::key);
}

TEST(Sealing, HealsWhenTheReceiverRestarts) {
  Node a;
  Node b;
  introduce(a, b);
  const Datagram to_old_life = a.seal(b.id(), "lost");
  Node b2(test_keyring(), 2, b.identity);

  const Opened stale = b2.open(to_old_life);
  EXPECT_EQ(stale.dropped, DropReason::stale_life);
  ASSERT_TRUE(stale.greet);
  bool introduced = false;
  EXPECT_FALSE(a.dropped(b2.seal(stale.from, "", &introduced)));
  EXPECT_TRUE(introduced);
  EXPECT_FALSE(b2.dropped(a.seal(b.id(), "now", &introduced)));
  EXPECT_FALSE(introduced);
  EXPECT_EQ(b2.body, "now");
  EXPECT_EQ(a.dropped(b.seal(a.id(), "from the grave")), DropReason::replayed);
}

TEST(Sealing, HealsWhenTheSenderRestarts) {
  Node a;
  Node b;
  introduce(a, b);
  Node a2(test_keyring(), 2, a.identity);
  EXPECT_FALSE(b.dropped(a2.seal(b.id(), "new life")));
  EXPECT_EQ(b.dropped(a.seal(b.id(), "old life")), DropReason::replayed);
  EXPECT_FALSE(a2.dropped(b.seal(a.id(), "to the new life")));
}

TEST(Sealing, LimitsEachAddressAlone) {
  Node a;
  Node b;
  std::size_t looked_at = 0;
  const Datagram garbage = [&] {
    Datagram bytes = a.seal(b.id(), "x");
    byte_at(bytes, 80) ^= 1;
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
    Datagram good = a.seal(b.id(), "x");
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
