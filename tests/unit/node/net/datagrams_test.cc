// SPDX-License-Identifier: MIT
#include "node/net/datagrams.h"

#include <gmock/gmock.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "node/net/bytes.h"
#include "node/net/resolve.h"
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

struct Node {
  explicit Node(Loop& loop, Address at = free_address(), std::uint32_t payload = 1232)
      : address(at),
        datagrams(Datagrams::open(loop.get(),
            at,
            payload,
            sealer,
            counters,
            [this](const Endpoint& from, Layer layer, std::span<const std::byte> bytes) {
              senders.push_back(from);
              received.push_back(std::to_string(static_cast<int>(layer)) +
                  std::string(text_of(
                      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()})));
            }).value()) {}
  Endpoint self() const { return {identity.id(), address}; }

  Address address;
  Identity identity = Identity::generate();
  Keyring keyring = test_keyring();
  Sealer sealer{identity, keyring, 1, 1'000'000};
  TransportCounters counters;
  std::vector<std::string> received;
  std::vector<Endpoint> senders;
  std::unique_ptr<Datagrams> datagrams;
};

TEST(Datagrams, CoalescesUntilFlush) {
  Loop loop;
  Node a(loop);
  Node b(loop);
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

TEST(Datagrams, GreetsSoThatTheNextIsPaired) {
  Loop loop;
  Node a(loop);
  Node b(loop);
  a.datagrams->send({{}, b.address}, Layer::overlay, "join");
  a.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return a.counters.datagrams_received == 1; }));
  EXPECT_EQ(b.counters.greetings, 1u);
  EXPECT_EQ(b.counters.introductions, 0u) << "b knows the life of a";
  a.datagrams->send(b.self(), Layer::overlay, "again");
  a.datagrams->flush();
  ASSERT_TRUE(loop.run_until([&] { return b.received.size() == 2; }));
  EXPECT_EQ(a.counters.introductions, 1u);
  EXPECT_TRUE(a.received.empty()) << "a greeting carries no message";
}

TEST(Datagrams, SplitsWhatDoesNotFitTogether) {
  Loop loop;
  Node a(loop);
  Node b(loop);
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
  Node a(loop);
  const Address v6{.high = 0, .low = 1, .port = 9};
  a.datagrams->send({{}, v6}, Layer::overlay, "an IPv4 socket cannot");
  a.datagrams->flush();
  EXPECT_EQ(a.counters.datagrams_unroutable, 1u);
}

TEST(Datagrams, BoundsItsQueue) {
  Loop loop;
  Node a(loop);
  const std::string large(a.datagrams->message_max(), 'x');
  for (int i = 0; i < 16'384 + 10; ++i) {
    a.datagrams->send({{}, Address::v4(0x7f000001, 9)}, Layer::overlay, large);
  }
  EXPECT_EQ(a.counters.datagrams_unsent, 10u);
}

TEST(Datagrams, SaysThatThePortIsTaken) {
  Loop loop;
  Node a(loop);
  TransportCounters counters;
  const auto second = Datagrams::open(loop.get(), a.address, 1232, a.sealer, counters, {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, EADDRINUSE);
  EXPECT_THAT(second.error().text, ::testing::HasSubstr(to_string(a.address)));
}

TEST(Datagrams, CountsGarbageOversizeAndMalformedBodies) {
  Loop loop;
  Node a(loop);
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  SocketAddress to;
  to_socket(a.address, AF_INET, to);
  std::string garbage(datagram::kMax + 100, 'g');
  for (const std::size_t size :
      {std::size_t{0}, std::size_t{1}, datagram::kHeader, std::size_t{1000}, garbage.size()}) {
    ::sendto(fd, garbage.data(), size, 0, to.get(), to.size);
  }
  // Well sealed nonsense: a layer that does not exist, and a message longer than the body.
  Node b(loop);
  for (const std::string& body :
      {std::string("\x07\x01\x00x", 4), std::string("\x00\xff\xff", 3), std::string("\x00", 1)}) {
    std::vector<std::byte> buffer(datagram::kOverheadMax + body.size());
    std::ranges::copy(std::as_bytes(std::span(body)), buffer.begin() + datagram::kHeadroom);
    const auto sealed = b.sealer.seal({}, buffer, body.size()).datagram;
    ::sendto(fd, sealed.data(), sealed.size(), 0, to.get(), to.size);
  }
  ::close(fd);
  ASSERT_TRUE(loop.run_until([&] { return a.counters.dropped.total() == 8; }));
  EXPECT_EQ(a.counters.dropped[DropReason::too_short], 3u);
  EXPECT_EQ(a.counters.dropped[DropReason::version], 1u);
  EXPECT_EQ(a.counters.dropped[DropReason::too_long], 1u);
  EXPECT_EQ(a.counters.dropped[DropReason::malformed], 3u);
  EXPECT_TRUE(a.received.empty());
}

TEST(Resolve, ReadsAddressesAndNames) {
  EXPECT_EQ(resolve("127.0.0.1", 7700)->front(), Address::v4(0x7f000001, 7700));
  EXPECT_EQ(resolve("127.0.0.1:1", 7700)->front(), Address::v4(0x7f000001, 1));
  EXPECT_EQ(resolve("[::1]:2", 7700)->front(), (Address{.high = 0, .low = 1, .port = 2}));
  EXPECT_EQ(resolve("::1", 7700)->front(), (Address{.high = 0, .low = 1, .port = 7700}));
  EXPECT_TRUE(resolve("[::]:0", 7700)->front().is_any());
  EXPECT_TRUE(resolve("localhost:3", 7700));
}

TEST(Resolve, NamesWhatDoesNotResolve) {
  const auto unknown = resolve("no-such-host.invalid:7700", 7700);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().text, ::testing::HasSubstr("'no-such-host.invalid'"));
  for (const char* text :
      {"", ":1", "host:", "host:99999", "host:x", "[::1", "[::1]x", "host:-1"}) {
    const auto malformed = resolve(text, 7700);
    ASSERT_FALSE(malformed) << text;
    EXPECT_EQ(malformed.error().kind, ErrorKind::usage) << text;
  }
}

TEST(Resolve, FindsAnAddressToAdvertise) {
  const Address address = reachable_address(7700, false);
  EXPECT_FALSE(address.is_any());
  EXPECT_EQ(address.port, 7700);
}

}  // namespace
}  // namespace dunlin::node
