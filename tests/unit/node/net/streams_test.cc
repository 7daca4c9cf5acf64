// SPDX-License-Identifier: MIT
#include "node/net/streams.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "node/net/bytes.h"
#include "node/net/socket_address.h"
#include "tests/unit/node/net_support.h"

// Streams of members among strangers that only stand in the door, too many streams, and keys that
// are dropped.
namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using overlay::Address;
using overlay::Endpoint;

constexpr std::uint32_t kLoopback = 0x7f000001;

/// A TCP connection without a word.
class SilentStranger {
 public:
  explicit SilentStranger(std::uint16_t port, std::uint32_t from = kLoopback)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    SocketAddress address;
    to_socket(Address::v4(from, 0), AF_INET, address);
    EXPECT_EQ(::bind(fd_, address.get(), address.size), 0);
    to_socket(Address::v4(kLoopback, port), AF_INET, address);
    EXPECT_EQ(::connect(fd_, address.get(), address.size), 0);
  }
  SilentStranger(const SilentStranger&) = delete;
  SilentStranger& operator=(const SilentStranger&) = delete;
  ~SilentStranger() { ::close(fd_); }

  bool connected() const {
    char byte = 0;
    return ::recv(fd_, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }

 private:
  int fd_;
};
using Strangers = std::vector<std::unique_ptr<SilentStranger>>;

std::ptrdiff_t connected(const Strangers& strangers) {
  return std::ranges::count_if(strangers, [](const auto& each) { return each->connected(); });
}

struct StreamNode {
  explicit StreamNode(Loop& loop, TransportParams with = {}, const Keyring& keys = test_keyring())
      : params(with),
        sealer(identity, keys, 1, 1'000'000),
        streams(Streams::open(loop.get(),
            Address::v4(kLoopback, 0),
            params,
            sealer,
            counters,
            [this](const Endpoint&, Layer, std::span<const std::byte> bytes) {
              received.push_back(bytes.size());
            }).value()) {}

  Endpoint self() const { return {identity.id(), Address::v4(kLoopback, streams->port())}; }
  bool send(const StreamNode& to, std::size_t size = 5000) {
    return streams->send(to.self(), Layer::node, std::string(size, 'x'));
  }
  void rotate(const Keyring& keys) {
    sealer.rotate(keys);
    streams->rotate();
  }

  Identity identity = Identity::generate();
  TransportParams params;
  Sealer sealer;
  TransportCounters counters;
  std::vector<std::size_t> received;
  std::unique_ptr<Streams> streams;
};

TEST(Streams, SilentStrangersDoNotShutTheDoor) {
  Loop loop;
  // No client is late in this test, so only the choice among strangers can let the member in.
  const TransportParams params{.strangers_max = 32, .greeting_timeout = 1min};
  StreamNode node(loop, params);
  StreamNode member(loop);
  Strangers strangers;
  for (int i = 0; i < 40; ++i) {
    strangers.push_back(std::make_unique<SilentStranger>(node.streams->port()));
  }
  ASSERT_TRUE(loop.run_until([&] { return node.counters.dropped[DropReason::too_many] == 32; }));
  EXPECT_EQ(connected(strangers), 8) << "a quarter is for one address";
  ASSERT_TRUE(member.send(node));
  ASSERT_TRUE(loop.run_until([&] { return node.received.size() == 1; }, 5s));
  EXPECT_EQ(node.counters.dropped[DropReason::too_many], 33u) << "one of the silent gave way";
  EXPECT_EQ(connected(strangers), 7);
}

TEST(Streams, StrangersOfOneAddressDoNotDisplaceThoseOfAnother) {
  Loop loop;
  StreamNode node(loop, {.strangers_max = 16, .greeting_timeout = 1min});
  Strangers few;
  Strangers many;
  for (int i = 0; i < 3; ++i) {
    few.push_back(std::make_unique<SilentStranger>(node.streams->port(), kLoopback + 1));
  }
  for (int i = 0; i < 40; ++i) {
    many.push_back(std::make_unique<SilentStranger>(node.streams->port()));
  }
  ASSERT_TRUE(loop.run_until([&] { return node.counters.dropped[DropReason::too_many] == 36; }));
  EXPECT_EQ(connected(few), 3);
  EXPECT_EQ(connected(many), 4);
}

TEST(Streams, TheFirstWordsAreDueInHalfASecond) {
  Loop loop;
  StreamNode node(loop);
  const SilentStranger stranger(node.streams->port());
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(loop.run_until([&] { return !stranger.connected(); }, 4s));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 400ms);
  EXPECT_EQ(node.counters.dropped[DropReason::too_slow], 1u);
}

TEST(Streams, OneMoreEndsTheOneThatWasIdleForLongest) {
  Loop loop;
  constexpr std::size_t kMax = 8;
  StreamNode node(loop, {.connections_max = kMax});
  std::vector<std::unique_ptr<StreamNode>> peers;
  for (std::size_t i = 0; i < kMax + 1; ++i) {
    peers.push_back(std::make_unique<StreamNode>(loop));
    ASSERT_TRUE(node.send(*peers[i]));
    ASSERT_TRUE(loop.run_until([&] { return peers[i]->received.size() == 1; }));
    loop.run_for(5ms);  // No two are idle for equally long.
  }
  EXPECT_EQ(node.counters.streams_evicted, 1u);
  // The next to the second peer uses its stream, the next to the first dials again.
  ASSERT_TRUE(node.send(*peers[1]));
  ASSERT_TRUE(loop.run_until([&] { return peers[1]->received.size() == 2; }));
  EXPECT_EQ(node.counters.streams_opened, kMax + 1);
  ASSERT_TRUE(node.send(*peers[0]));
  ASSERT_TRUE(loop.run_until([&] { return peers[0]->received.size() == 2; }));
  EXPECT_EQ(node.counters.streams_opened, kMax + 2);
  EXPECT_EQ(node.counters.messages_unsent, 0u) << "nothing is lost by making room";
  EXPECT_EQ(node.counters.dropped.total(), 0u);
  for (const auto& each : peers) EXPECT_EQ(each->counters.dropped.total(), 0u);
}

TEST(Streams, AMemberThatCallsGetsThePlaceOfAnIdleOne) {
  Loop loop;
  constexpr std::size_t kMax = 8;
  StreamNode node(loop, {.connections_max = kMax});
  std::vector<std::unique_ptr<StreamNode>> peers;
  for (std::size_t i = 0; i < 3 * kMax; ++i) {
    peers.push_back(std::make_unique<StreamNode>(loop));
    ASSERT_TRUE(peers[i]->send(node));
    ASSERT_TRUE(loop.run_until([&] { return node.received.size() == i + 1; }));
  }
  EXPECT_EQ(node.counters.streams_evicted, 2 * kMax);
  EXPECT_EQ(node.counters.dropped.total(), 0u);
}

TEST(Streams, MessagesLostWithTheirStreamAreCounted) {
  Loop loop;
  StreamNode node(loop);
  StreamNode peer(loop);
  ASSERT_TRUE(node.send(peer));
  ASSERT_TRUE(loop.run_until([&] { return peer.received.size() == 1; }));
  // More than the system takes at once, so that the last are still here when the peer goes.
  constexpr std::size_t kMessages = 24;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < kMessages; ++i) taken += node.send(peer, 1 << 20);
  EXPECT_LT(taken, kMessages) << "beyond its buffer send() says so";
  peer.streams->close();
  ASSERT_TRUE(loop.run_until([&] { return node.counters.messages_unsent > 0; }));
  EXPECT_LE(node.counters.messages_unsent, taken) << "the system took some";
}

TEST(Streams, AStreamEndsWithItsKey) {
  Loop loop;
  StreamNode thief(loop);  // With the key that will be dropped.
  StreamNode node(loop);
  ASSERT_TRUE(thief.send(node));
  ASSERT_TRUE(loop.run_until([&] { return node.received.size() == 1; }));
  node.rotate(test_keyring('b'));
  EXPECT_EQ(node.counters.dropped[DropReason::key], 1u);
  EXPECT_TRUE(thief.send(node)) << "it does not know yet";
  ASSERT_TRUE(loop.run_until([&] { return thief.counters.dropped[DropReason::truncated] == 1; }));
  thief.send(node);
  ASSERT_TRUE(loop.run_until([&] { return node.counters.dropped[DropReason::key] == 2; }));
  EXPECT_EQ(node.received.size(), 1u) << "and it cannot come back";
}

TEST(Streams, AStreamOfTheSecondKeyEndsInGoodOrder) {
  Loop loop;
  StreamNode one(loop);
  StreamNode other(loop);
  one.rotate(test_keyring_of_two('a', 'b'));
  other.rotate(test_keyring_of_two('a', 'b'));
  ASSERT_TRUE(one.send(other));
  ASSERT_TRUE(loop.run_until([&] { return other.received.size() == 1; }));
  one.rotate(test_keyring_of_two('b', 'a'));
  ASSERT_TRUE(one.send(other)) << "its successor";
  ASSERT_TRUE(loop.run_until([&] { return other.received.size() == 2; }));
  EXPECT_EQ(one.counters.streams_opened, 2u);
  other.rotate(test_keyring('b'));
  one.rotate(test_keyring('b'));
  ASSERT_TRUE(one.send(other));
  ASSERT_TRUE(loop.run_until([&] { return other.received.size() == 3; }));
  EXPECT_EQ(one.counters.streams_opened, 2u) << "which rests on the key that stays";
  EXPECT_EQ(one.counters.dropped.total() + other.counters.dropped.total(), 0u);
  EXPECT_EQ(one.counters.messages_unsent, 0u);
}

}  // namespace
}  // namespace dunlin::node
