// SPDX-License-Identifier: MIT
#include "node/net/datagrams.h"

#include <gmock/gmock.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "node/net/bytes.h"
#include "node/wall_clock.h"
#include "tests/unit/node/net_support.h"

namespace dunlin::node {
namespace {

using overlay::Address;
using overlay::Endpoint;

constexpr Address kAnyPort = Address::v4(0x7f000001, 0);

/// A port of this machine that was free a moment ago.
Address free_address(Address wanted = kAnyPort) {
  SocketAddress address;
  to_socket(wanted, family_of(wanted), address);
  const int fd = ::socket(family_of(wanted), SOCK_DGRAM, 0);
  EXPECT_EQ(::bind(fd, address.get(), address.size), 0);
  ::getsockname(fd, address.get(), &address.size);
  ::close(fd);
  return from_socket(address.get());
}

struct DatagramNode {
  explicit DatagramNode(Loop& loop,
      Address at = free_address(),
      std::uint32_t payload = 1232,
      std::uint32_t incarnation = 1,
      const Identity& own = Identity::generate())
      : address(at),
        identity(own),
        sealer(identity, keyring, incarnation, 1'000'000),
        datagrams(Datagrams::open(
            loop.get(),
            at,
            payload,
            sealer,
            counters,
            [this](const Endpoint& from, Layer layer, std::span<const std::byte> bytes) {
              senders.push_back(from);
              received.push_back(std::to_string(static_cast<int>(layer)) +
                  std::string(text_of(
                      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()})));
            },
            [this](const PeerNotice& notice) {
              notices.push_back(notice);
            }).value()) {}
  Endpoint self() const { return {identity.id(), address}; }

  Address address;
  Identity identity;
  Keyring keyring = test_keyring();
  Sealer sealer;
  TransportCounters counters;
  std::vector<std::string> received;
  std::vector<Endpoint> senders;
  std::vector<PeerNotice> notices;
  std::unique_ptr<Datagrams> datagrams;
};

/// Each knows the other's ephemeral key.
void meet(Loop& loop, DatagramNode& a, DatagramNode& b) {
  a.datagrams->send(b.self(), Layer::overlay, "hello");
  a.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return !b.received.empty(); }));
  b.received.clear();
  b.senders.clear();
  a.counters = b.counters = {};
}

TEST(Datagrams, AnIntroductionIsAnsweredWithItsChallenge) {
  Loop loop;
  DatagramNode a(loop);
  DatagramNode b(loop);
  std::vector<std::pair<Endpoint, std::uint64_t>> heard;
  int recorded = 0;
  a.datagrams->on_heard(
      [&](const Endpoint& from, std::uint64_t echo) { heard.emplace_back(from, echo); });
  b.datagrams->on_heard([&](const Endpoint&, std::uint64_t) { ++recorded; });
  a.datagrams->introduce(b.self(), 42);
  ASSERT_TRUE(loop.run_until([&] { return !heard.empty(); }));
  EXPECT_EQ(heard.front(), std::pair(b.self(), std::uint64_t{42}));
  EXPECT_EQ(recorded, 0) << "an introduction may be a recording";
}

TEST(Datagrams, CoalescesUntilFlush) {
  Loop loop;
  DatagramNode a(loop);
  DatagramNode b(loop);
  meet(loop, a, b);
  for (int i = 0; i < 20; ++i) a.datagrams->send(b.self(), Layer::sched, std::to_string(i));
  loop.run_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(b.received.empty()) << "nothing leaves before flush()";
  a.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return b.received.size() == 20; }));
  EXPECT_EQ(b.received.front(), "10");
  EXPECT_EQ(b.received.back(), "119");
  EXPECT_EQ(b.senders.front(), a.self());
  EXPECT_EQ(a.counters.datagrams_sent, 1u);
}

TEST(Datagrams, HoldsTheFirstMessagesForAGreeting) {
  Loop loop;
  DatagramNode a(loop);
  DatagramNode b(loop);
  for (const char* message : {"join", "and more"}) {
    a.datagrams->send({{}, b.address}, Layer::overlay, message);  // Its id is not known.
    a.datagrams->flush();
  }
  EXPECT_EQ(a.counters.introductions, 1u);
  ASSERT_TRUE(loop.run_until([&] { return b.received.size() == 2; }));
  EXPECT_THAT(b.received, ::testing::ElementsAre("0join", "0and more"));
  EXPECT_EQ(b.counters.greetings, 1u);
  EXPECT_EQ(b.counters.introductions, 0u);
  a.datagrams->send(b.self(), Layer::overlay, "again");
  a.datagrams->flush();
  b.datagrams->send(a.self(), Layer::sched, "answer");
  b.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return b.received.size() == 3 && a.received.size() == 1; }));
  EXPECT_EQ(a.counters.introductions + b.counters.introductions, 1u);
  EXPECT_EQ(a.counters.messages_unanswered, 0u);
}

TEST(Datagrams, CountsMessagesToWhoeverDoesNotAnswer) {
  Loop loop;
  DatagramNode a(loop);
  const Address nobody = free_address();
  for (int i = 0; i < 3; ++i) a.datagrams->send({{}, nobody}, Layer::overlay, "is there anybody?");
  a.datagrams->flush();
  loop.run_until([&] {
    a.datagrams->flush();
    return a.counters.messages_unanswered == 3;
  });
  EXPECT_EQ(a.counters.messages_unanswered, 3u);
  EXPECT_GT(a.counters.introductions, 3u) << "one may have been lost, so it asks again";
  EXPECT_LT(a.counters.introductions, 12u);
}

TEST(Datagrams, AnotherNodeAtTheAddressGetsNothing) {
  Loop loop;
  DatagramNode a(loop);
  DatagramNode b(loop);
  a.datagrams->send({Identity::generate().id(), b.address}, Layer::sched, "for another");
  a.datagrams->send({{}, b.address}, Layer::sched, "for any that is there");
  a.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return !b.received.empty(); }));
  loop.run_for(std::chrono::milliseconds(20));
  EXPECT_THAT(b.received, ::testing::ElementsAre("1for any that is there"));
  EXPECT_EQ(b.counters.dropped[DropReason::misdirected], 1u);
}

// A listener on the way sends a join to other nodes, and to the same one after its restart.
TEST(Datagrams, ARecordedJoinReachesNobody) {
  Loop loop;
  DatagramNode a(loop);
  DatagramNode b(loop);
  const int wire = ::socket(AF_INET, SOCK_DGRAM, 0);
  SocketAddress address;
  to_socket(kAnyPort, AF_INET, address);
  ASSERT_EQ(::bind(wire, address.get(), address.size), 0);
  ::getsockname(wire, address.get(), &address.size);
  a.datagrams->send({{}, from_socket(address.get())}, Layer::overlay, "join");
  a.datagrams->flush();
  std::string recorded(2000, '\0');
  const ssize_t size = ::recv(wire, recorded.data(), recorded.size(), 0);
  ASSERT_GT(size, 0);
  to_socket(b.address, AF_INET, address);
  for (int i = 0; i < 5; ++i) {
    ::sendto(wire, recorded.data(), static_cast<std::size_t>(size), 0, address.get(), address.size);
  }
  ASSERT_TRUE(loop.run_until([&] { return b.counters.datagrams_received == 5; }));
  loop.run_for(std::chrono::milliseconds(20));
  EXPECT_TRUE(b.received.empty());
  EXPECT_EQ(b.counters.dropped[DropReason::replayed], 4u);
  EXPECT_EQ(b.counters.greetings, 1u);
  ::close(wire);
}

TEST(Datagrams, TellsOfAnAgentOfAnotherVersion) {
  Loop loop;
  DatagramNode a(loop);
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  SocketAddress to;
  to_socket(a.address, AF_INET, to);
  std::string old(100, '\1');
  put(reinterpret_cast<std::uint8_t*>(old.data()) + 2, a.keyring.cluster_mark());
  put(reinterpret_cast<std::uint8_t*>(old.data()) + 4, a.keyring.keys().front().id);
  ::sendto(fd, old.data(), old.size(), 0, to.get(), to.size);
  ::close(fd);
  ASSERT_TRUE(loop.run_until([&] { return !a.notices.empty(); }));
  EXPECT_EQ(a.notices[0].kind, PeerNotice::Kind::version);
  EXPECT_EQ(a.counters.dropped[DropReason::other_version], 1u);
}

// People are told to upgrade all agents: chance must not say it, however long a stranger tries.
TEST(Datagrams, AStrangersChanceBytesAreNoAgentOfAnotherVersion) {
  Loop loop;
  DatagramNode a(loop);
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  SocketAddress to;
  to_socket(a.address, AF_INET, to);
  const auto send = [&](std::uint8_t version, std::uint16_t mark, std::uint16_t key) {
    std::string bytes(100, '\1');
    bytes[0] = static_cast<char>(version);
    put(reinterpret_cast<std::uint8_t*>(bytes.data()) + 2, mark);
    put(reinterpret_cast<std::uint8_t*>(bytes.data()) + 4, key);
    ::sendto(fd, bytes.data(), bytes.size(), 0, to.get(), to.size);
  };
  const std::uint16_t mark = a.keyring.cluster_mark();
  const std::uint16_t key = a.keyring.keys().front().id;
  std::uint64_t sent = 0;
  // Each half of the cluster's name comes up by chance in a minute's worth of garbage.
  for (std::uint16_t bit = 1; bit != 0; bit = static_cast<std::uint16_t>(bit << 1), sent += 2) {
    send(1, mark, static_cast<std::uint16_t>(key ^ bit));
    send(1, static_cast<std::uint16_t>(mark ^ bit), key);
    ASSERT_TRUE(
        loop.run_until([&] { return a.counters.dropped[DropReason::version] == sent + 2; }));
  }
  ::close(fd);
  EXPECT_EQ(a.counters.dropped[DropReason::other_version], 0u);
  EXPECT_TRUE(a.notices.empty());
}

TEST(Datagrams, SplitsWhatDoesNotFitTogether) {
  Loop loop;
  DatagramNode a(loop);
  DatagramNode b(loop);
  meet(loop, a, b);
  const std::string largest(a.datagrams->message_max(), 'x');
  for (int i = 0; i < 3; ++i) a.datagrams->send(b.self(), Layer::node, largest);
  a.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return b.received.size() == 3; }));
  EXPECT_EQ(b.received[2], "2" + largest);
  EXPECT_EQ(a.counters.datagrams_sent, 3u);
  EXPECT_EQ(a.counters.datagram_bytes_sent, 3u * 1232);
}

TEST(Datagrams, CountsWhatTheSystemCannotRoute) {
  Loop loop;
  DatagramNode a(loop);
  const Address v6{.high = 0, .low = 1, .port = 9};
  a.datagrams->send({{}, v6}, Layer::overlay, "an IPv4 socket cannot");
  a.datagrams->flush();
  EXPECT_EQ(a.counters.datagrams_unroutable, 1u);
}

TEST(Datagrams, BoundsItsQueue) {
  Loop loop;
  DatagramNode a(loop);
  const std::string large(a.datagrams->message_max(), 'x');
  for (int i = 0; i < 16'384 + 10; ++i) {
    a.datagrams->send({{}, Address::v4(0x7f000001, 9)}, Layer::overlay, large);
  }
  EXPECT_EQ(a.counters.datagrams_unsent, 10u);
}

// A node that forgot its incarnations hears of them, nothing else, until it rises.
TEST(Datagrams, TellsAnEarlierIncarnationAndHearsItWhenItRises) {
  Loop loop;
  DatagramNode peer(loop);
  DatagramNode before(loop, free_address(), 1232, 100);
  before.datagrams->send(peer.self(), Layer::overlay, "hello");
  before.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return !peer.received.empty(); }));
  DatagramNode after(loop, free_address(), 1232, 7, before.identity);
  after.datagrams->send(peer.self(), Layer::overlay, "hello");
  after.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return !peer.notices.empty(); }));
  EXPECT_EQ(peer.notices[0].kind, PeerNotice::Kind::superseded);
  EXPECT_EQ(peer.notices[0].from, after.self());
  EXPECT_EQ(peer.notices[0].known,
      (KnownAs{.incarnation = 100, .address = before.address, .counter = 2}));
  EXPECT_EQ(peer.counters.dropped[DropReason::superseded], 1u);
  peer.datagrams->send(after.self(), Layer::sched, "not for this incarnation");
  peer.datagrams->send(after.self(), Layer::link, "you were 100");
  peer.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return !after.received.empty(); }));
  EXPECT_THAT(after.received, ::testing::ElementsAre("4you were 100"));
  after.sealer.raise(101);
  after.datagrams->send(peer.self(), Layer::overlay, "hello again");
  after.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return peer.received.size() == 2; }));
  EXPECT_EQ(peer.received[1], "0hello again");
  EXPECT_EQ(peer.notices.back().kind, PeerNotice::Kind::reinstated);
}

TEST(Datagrams, CarryWhatTwinsSay) {
  Loop loop;
  DatagramNode one(loop);
  DatagramNode other(loop, free_address(), 1232, 5, one.identity);
  one.datagrams->send_to_twin(other.address, Layer::link, "are you me?");
  ASSERT_TRUE(loop.run_until([&] { return !other.received.empty(); }));
  EXPECT_EQ(other.received[0], "4are you me?");
  EXPECT_EQ(other.senders[0], one.self());
  one.datagrams->send_to_twin(other.address, Layer::sched, "not a link's");
  ASSERT_TRUE(loop.run_until([&] { return other.counters.datagrams_received == 2; }));
  EXPECT_EQ(other.received.size(), 1u);
}

TEST(Datagrams, SaysThatThePortIsTaken) {
  Loop loop;
  DatagramNode a(loop);
  TransportCounters counters;
  const auto second = Datagrams::open(loop.get(), a.address, 1232, a.sealer, counters, {}, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, EADDRINUSE);
  EXPECT_THAT(second.error().text, ::testing::HasSubstr(to_string(a.address)));
}

TEST(Datagrams, CountsGarbageOversizeAndMalformedBodies) {
  Loop loop;
  DatagramNode a(loop);
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  SocketAddress to;
  to_socket(a.address, AF_INET, to);
  std::string garbage(datagram::kMax + 100, 'g');
  for (const std::size_t size :
      {std::size_t{0}, std::size_t{1}, datagram::kHeader, std::size_t{1000}, garbage.size()}) {
    ::sendto(fd, garbage.data(), size, 0, to.get(), to.size);
  }
  // Well sealed: a layer of a later build, which is no fault, and messages longer than the body.
  DatagramNode b(loop);
  b.sealer.set_clock(wall_clock_ns());
  for (const std::string& body :
      {std::string("\x07\x01\x00x", 4), std::string("\x00\xff\xff", 3), std::string("\x00", 1)}) {
    std::vector<std::byte> buffer(datagram::kOverheadMax + body.size());
    std::ranges::copy(std::as_bytes(std::span(body)), buffer.begin() + datagram::kHeadroom);
    const auto sealed = b.sealer.introduce({}, 0, buffer, body.size());
    ::sendto(fd, sealed.data(), sealed.size(), 0, to.get(), to.size);
  }
  ::close(fd);
  ASSERT_TRUE(loop.run_until(
      [&] { return a.counters.dropped.total() == 7 && a.counters.messages_unknown == 1; }));
  EXPECT_EQ(a.counters.dropped[DropReason::too_short], 2u);
  EXPECT_EQ(a.counters.dropped[DropReason::version], 2u);
  EXPECT_EQ(a.counters.dropped[DropReason::too_long], 1u);
  EXPECT_EQ(a.counters.dropped[DropReason::malformed], 2u);
  EXPECT_TRUE(a.received.empty());
}

}  // namespace
}  // namespace dunlin::node
