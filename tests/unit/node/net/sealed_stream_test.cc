// SPDX-License-Identifier: MIT
#include "node/net/sealed_stream.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "node/net/bytes.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

using Role = SealedStream::Role;

/// Both ends of a stream, with the test for a wire.
struct Pair {
  explicit Pair(const Keyring& left_keys = test_keyring(),
      const Keyring& right_keys = test_keyring(),
      overlay::PeerId expected = {})
      : left(Role::initiator, left_identity, left_keys, 3, 7700, expected),
        right(Role::responder, right_identity, right_keys, 5, 7701) {}

  /// Moves all bytes, `step` at a time, until both fall silent. Messages that arrive are kept.
  void run(std::size_t step = 1 << 20) {
    while (!left.output().empty() || !right.output().empty()) {
      carry(left, right, at_right, step);
      carry(right, left, at_left, step);
    }
  }

  static void carry(
      SealedStream& from, SealedStream& to, std::vector<std::string>& kept, std::size_t step) {
    std::string bytes;
    std::swap(bytes, from.output());
    for (std::size_t i = 0; i < bytes.size(); i += step) {
      to.feed(bytes_of(std::string_view(bytes).substr(i, step)));
      while (const auto frame = to.next()) {
        kept.push_back(
            std::to_string(static_cast<int>(frame->channel)) + std::string(frame->bytes));
      }
    }
  }

  Identity left_identity = Identity::generate();
  Identity right_identity = Identity::generate();
  SealedStream left;
  SealedStream right;
  std::vector<std::string> at_left;
  std::vector<std::string> at_right;
};

TEST(SealedStream, ProvesBothEnds) {
  for (const std::size_t step : {1u, 7u, 1u << 20}) {
    Pair pair;
    pair.run(step);
    ASSERT_TRUE(pair.left.open());
    ASSERT_TRUE(pair.right.open());
    EXPECT_EQ(pair.left.peer().key, pair.right_identity.public_key());
    EXPECT_EQ(pair.left.peer().incarnation, 5u);
    EXPECT_EQ(pair.left.peer().port, 7701);
    EXPECT_EQ(pair.right.peer().key, pair.left_identity.public_key());
    EXPECT_EQ(pair.right.peer().incarnation, 3u);
    EXPECT_EQ(pair.right.peer().port, 7700);
  }
}

TEST(SealedStream, CarriesMessagesOfEverySizeBothWays) {
  Pair pair;
  pair.run();
  std::vector<std::string> expected;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, SealedStream::kChunk - 2,
           SealedStream::kChunk - 1, SealedStream::kChunk, 2 * SealedStream::kChunk - 1,
           std::size_t{128 * 1024}, SealedStream::kMessageMax}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 >> 3);
    pair.left.send(Channel::sched, text);
    pair.right.send(Channel::control, text);
    expected.push_back(text);
  }
  pair.run(10'000);
  ASSERT_EQ(pair.at_right.size(), expected.size());
  ASSERT_EQ(pair.at_left.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(pair.at_right[i] == "1" + expected[i]) << i;
    EXPECT_TRUE(pair.at_left[i] == "4" + expected[i]) << i;
  }
  pair.left.finish();
  pair.run();
  EXPECT_TRUE(pair.right.finished());
  EXPECT_FALSE(pair.right.failure());
}

TEST(SealedStream, ChangesKeysOnItsWay) {
  Pair pair;
  pair.run();
  // Three changes of keys, and both ends must make them at the same chunk.
  for (std::uint32_t i = 0; i < 3 * SealedStream::kRekeyEvery + 10; ++i) {
    pair.left.send(Channel::node, "x");
    if (pair.left.output().size() > 1 << 20) {
      pair.run();
      pair.at_right.clear();
    }
  }
  pair.left.send(Channel::node, "last");
  pair.run();
  ASSERT_FALSE(pair.right.failure());
  EXPECT_EQ(pair.at_right.back(), "2last");
}

TEST(SealedStream, CarriesTheLargestControlMessage) {
  Pair pair;
  pair.run();
  pair.left.send(Channel::control, std::string(SealedStream::kControlMax, 'c'));
  pair.run();
  ASSERT_EQ(pair.at_right.size(), 1u);
  EXPECT_EQ(pair.at_right[0].size(), SealedStream::kControlMax + 1);
}

TEST(SealedStream, TellsStrangersApart) {
  const auto refused = [](const Keyring& left, const Keyring& right) {
    Pair pair(left, right);
    pair.run();
    EXPECT_FALSE(pair.left.open());
    EXPECT_FALSE(pair.right.open());
    return pair.right.failure();
  };
  EXPECT_EQ(refused(test_keyring('a'), test_keyring('b')), DropReason::key);
  EXPECT_EQ(refused(test_keyring('a'), test_keyring('a', "other")), DropReason::wrong_cluster);
}

TEST(SealedStream, OpensWithAnyKeyOfTheRing) {
  Pair pair(test_keyring_of_two('b', 'a'), test_keyring_of_two('a', 'b'));
  pair.run();
  EXPECT_TRUE(pair.left.open());
  EXPECT_TRUE(pair.right.open());
}

TEST(SealedStream, RefusesAnotherPeerThanExpected) {
  Pair pair(test_keyring(), test_keyring(), overlay::PeerId{42});
  pair.run();
  EXPECT_EQ(pair.left.failure(), DropReason::misdirected);
}

TEST(SealedStream, RefusesAReflection) {
  const Identity identity = Identity::generate();
  SealedStream left(Role::initiator, identity, test_keyring(), 1, 1);
  SealedStream right(Role::responder, identity, test_keyring(), 1, 1);
  std::vector<std::string> none;
  Pair::carry(left, right, none, 1000);
  Pair::carry(right, left, none, 1000);
  EXPECT_EQ(left.failure(), DropReason::own);
}

TEST(SealedStream, RefusesGarbage) {
  SealedStream web(Role::responder, Identity::generate(), test_keyring(), 1, 1);
  web.feed(bytes_of("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_FALSE(web.next());
  EXPECT_EQ(web.failure(), DropReason::version);

  // Whoever knows the names, but not the key.
  SealedStream liar(Role::responder, Identity::generate(), test_keyring(), 1, 1);
  std::string lie(200, 'x');
  auto* const bytes = reinterpret_cast<std::uint8_t*>(lie.data());
  bytes[0] = Handshake::kVersion;
  bytes[1] = 'S';
  put(bytes + 2, test_keyring().cluster_mark());
  put(bytes + 4, test_keyring().primary().id);
  liar.feed(bytes_of(lie));
  EXPECT_FALSE(liar.next());
  EXPECT_EQ(liar.failure(), DropReason::forged);
  EXPECT_TRUE(liar.output().empty()) << "a stranger gets no answer";
}

TEST(SealedStream, NoticesEveryChangedByteOfTheHandshakeAndAfter) {
  // Bytes on the wire, in order: hello, answer, proof + header, header + message.
  for (std::size_t flip = 0;; ++flip) {
    Pair pair;
    std::size_t carried = 0;
    bool flipped = false;
    const auto carry = [&](SealedStream& from, SealedStream& to, std::vector<std::string>& kept) {
      std::string& bytes = from.output();
      if (!flipped && flip < carried + bytes.size()) {
        bytes[flip - carried] = static_cast<char>(bytes[flip - carried] ^ 0x40);
        flipped = true;
      }
      carried += bytes.size();
      Pair::carry(from, to, kept, 1 << 20);
    };
    bool sent = false;
    for (int round = 0; round < 4; ++round) {
      carry(pair.left, pair.right, pair.at_right);
      carry(pair.right, pair.left, pair.at_left);
      if (pair.left.open() && pair.right.open() && !sent) {
        sent = true;
        pair.left.send(Channel::overlay, "message");
        pair.right.send(Channel::overlay, "message");
      }
    }
    if (!flipped) {
      EXPECT_EQ(pair.at_right.size() + pair.at_left.size(), 2u);
      EXPECT_GT(flip, 78u + 174u + 142u + 2 * 24u);
      break;
    }
    // A changed length may leave the receiver waiting for more: then the message never comes.
    EXPECT_LT(pair.at_right.size() + pair.at_left.size(), 2u) << "byte " << flip;
  }
}

TEST(SealedStream, TellsCutOffFromEnded) {
  Pair pair;
  pair.run();
  pair.left.send(Channel::sched, std::string(100'000, 'x'));
  const std::string bytes = pair.left.output();
  pair.right.feed(bytes_of(std::string_view(bytes).substr(0, bytes.size() / 2)));
  EXPECT_FALSE(pair.right.next());
  EXPECT_FALSE(pair.right.failure()) << "more may come";
  pair.right.end_of_input();
  EXPECT_EQ(pair.right.failure(), DropReason::truncated);
  EXPECT_FALSE(pair.right.next());

  Pair whole;  // Cut between two messages: still not an end.
  whole.run();
  whole.left.send(Channel::sched, "x");
  whole.run();
  whole.right.end_of_input();
  EXPECT_EQ(whole.right.failure(), DropReason::truncated);

  Pair ended;
  ended.run();
  ended.left.finish();
  ended.run();
  ended.right.end_of_input();
  EXPECT_FALSE(ended.right.failure());
}

TEST(SealedStream, RefusesRepeatedAndSwappedChunks) {
  Pair pair;
  pair.run();
  pair.left.send(Channel::sched, "once");
  const std::string chunk = pair.left.output();
  pair.right.feed(bytes_of(chunk));
  EXPECT_TRUE(pair.right.next());
  pair.right.feed(bytes_of(chunk));
  EXPECT_FALSE(pair.right.next());
  EXPECT_EQ(pair.right.failure(), DropReason::forged);
}

TEST(SealedStream, BoundsWhatAChunkMayClaim) {
  for (const auto& [length, reason] : {std::pair{0xffff, DropReason::too_long},
           std::pair{16, DropReason::too_short}, std::pair{0, DropReason::too_short}}) {
    Pair pair;
    pair.run();
    std::string bytes(2, '\0');
    put(reinterpret_cast<std::uint8_t*>(bytes.data()), static_cast<std::uint16_t>(length));
    pair.right.feed(bytes_of(bytes));
    EXPECT_FALSE(pair.right.next());
    EXPECT_EQ(pair.right.failure(), reason) << length;
  }
}

TEST(SealedStream, AKeyFileThatChangesBeforeTheFirstWordsCounts) {
  Pair pair(test_keyring('b'), test_keyring('a'));
  EXPECT_FALSE(pair.right.cluster_key()) << "nobody has chosen a key yet";
  EXPECT_FALSE(pair.right.greeted());
  pair.right.rotate(test_keyring('b'));
  pair.run();
  EXPECT_TRUE(pair.right.open());
  EXPECT_TRUE(pair.right.greeted());
  EXPECT_TRUE(test_keyring('b').holds(pair.right.cluster_key().value()));
  EXPECT_FALSE(test_keyring('a').holds(pair.right.cluster_key().value()));
}

}  // namespace
}  // namespace dunlin::node
