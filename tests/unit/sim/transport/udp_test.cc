// SPDX-License-Identifier: MIT
#include "sim/transport/udp.h"

#include <cmath>
#include <gtest/gtest.h>
#include <ns3/node-list.h>

#include "tests/unit/sim/transport_world.h"

// Messages over ns-3's IP stack, held against the model that the other transports share.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kUdpPeers = 30;

NetworkParams tree(TransportKind transport = TransportKind::udp) {
  return {.transport = transport, .latency_spread = Spread::racks, .rack_size = 10};
}

std::vector<Arrived> run(const NetworkParams& params,
    const std::vector<Sending>& sendings,
    const FaultParams& faults = {}) {
  return TransportWorld(params, kUdpPeers, faults).run(sendings);
}

/// By how much the arrival of any message differs. The same ones must have arrived.
Duration difference(const std::vector<Arrived>& one, const std::vector<Arrived>& two) {
  EXPECT_EQ(one.size(), two.size());
  Duration largest{0};
  for (std::size_t i = 0; i < std::min(one.size(), two.size()); ++i) {
    EXPECT_EQ(one[i].number, two[i].number);
    largest = std::max(largest, std::chrono::abs(one[i].at - two[i].at));
  }
  return largest;
}

TEST(Udp, EveryMessageArrivesOnceWhereItIsSent) {
  const auto sendings = sendings_by_chance(1000, kUdpPeers, 1s, 200);
  const auto arrived = run(tree(), sendings);
  ASSERT_EQ(arrived.size(), sendings.size());
  for (std::size_t i = 0; i < arrived.size(); ++i) {
    EXPECT_EQ(arrived[i].number, i);
    EXPECT_EQ(arrived[i].from, sendings[i].from);
    EXPECT_EQ(arrived[i].to, sendings[i].to);
    EXPECT_EQ(arrived[i].bytes, 200u);
  }
}

TEST(Udp, AMessageTakesWhatTheLinksOnItsWayTake) {
  const auto arrived = run(tree(), {{Time{1s}, 0, 9}, {Time{2s}, 0, 10}, {Time{3s}, 4, 4}});
  ASSERT_EQ(arrived.size(), 3u);
  // A link without limit has 10^6 Mbit/s: 200 bytes take less than 2 ns, on four of them.
  EXPECT_NEAR(static_cast<double>((arrived[0].at - Time{1s}).count()), 200e3, 8);
  EXPECT_NEAR(static_cast<double>((arrived[1].at - Time{2s}).count()), 500e3, 8);
  EXPECT_EQ(arrived[2].at - Time{3s}, 5us) << "to itself, as in the other transports";
}

// Each of up to four links may round to the next nanosecond, and be 2 ns where there is no limit.
TEST(Udp, AgreesWithTheModelMessageByMessageWhileLinksAreIdle) {
  const auto sendings = sendings_by_chance(500, kUdpPeers, 900s, 300);
  for (const double bandwidth : {0.0, 5.0, 100.0}) {
    NetworkParams params = tree();
    params.bandwidth = bandwidth;
    params.spine_bandwidth = bandwidth * 2;
    const auto udp = run(params, sendings);
    params.transport = TransportKind::context;
    EXPECT_LE(difference(udp, run(params, sendings)), 12ns) << bandwidth << " Mbit/s";
  }
}

/// When something arrived at each peer, whatever it was.
std::vector<std::vector<Time>> times_by_peer(const std::vector<Arrived>& arrived) {
  std::vector<std::vector<Time>> times(kUdpPeers);
  for (const Arrived& each : arrived) times[each.to].push_back(each.at);
  for (auto& each : times) std::ranges::sort(each);
  return times;
}

// Each peer has a link of 2 Mbit/s and sends 1.6 to others that are drawn by chance: messages wait
// where they leave and where they arrive. Two that arrive within 12 ns may do so the other way
// round, but are of one size: when a link carries something is the same. A rounding of 12 ns is all
// that each of those before a message can add to its wait.
TEST(Udp, AgreesWithTheModelWhileLinksAreBusy) {
  const std::size_t bytes = 400;
  const auto count = static_cast<std::size_t>(kUdpPeers * 1.6e6 / (8 * (bytes + 60)));
  const auto sendings = sendings_by_chance(count, kUdpPeers, 1s, bytes);
  NetworkParams params = tree();
  params.bandwidth = 2;
  params.backlog = 60s;
  const auto udp = run(params, sendings);
  params.transport = TransportKind::context;
  const auto context = run(params, sendings);
  const auto by_udp = times_by_peer(udp), by_context = times_by_peer(context);
  for (std::uint32_t peer = 0; peer < kUdpPeers; ++peer) {
    ASSERT_EQ(by_udp[peer].size(), by_context[peer].size());
    for (std::size_t i = 0; i < by_udp[peer].size(); ++i) {
      ASSERT_LE(std::chrono::abs(by_udp[peer][i] - by_context[peer][i]), 12ns * (i + 1));
    }
  }
  params.transport = TransportKind::fabric;
  EXPECT_EQ(difference(context, run(params, sendings)), 0ns);
  // The test must mean something: links without limit give other times.
  params.bandwidth = 0;
  EXPECT_GT(difference(context, run(params, sendings)), 5ms);
}

// The model leaves this out: ten peers share each link to the spine.
TEST(Udp, MessagesWaitForEachOtherBetweenRacksToo) {
  const auto sendings = sendings_by_chance(1500, kUdpPeers, 1s, 400);
  NetworkParams params = tree();
  params.spine_bandwidth = 4;
  params.backlog = 60s;
  const auto udp = run(params, sendings);
  params.transport = TransportKind::context;
  EXPECT_GT(difference(udp, run(params, sendings)), 2ms);
}

TEST(Udp, WhatAQueueHasNoRoomForIsLost) {
  std::vector<Sending> burst(200, {Time{1s}, 0, 20, 1000});
  NetworkParams params = tree();
  params.bandwidth = 1;  // A message takes 8.5 ms.
  params.backlog = 100ms;
  const std::size_t udp = run(params, burst).size();
  params.transport = TransportKind::context;
  EXPECT_NEAR(static_cast<double>(udp), static_cast<double>(run(params, burst).size()), 2);
  EXPECT_NEAR(static_cast<double>(udp), 100 / 8.5, 2);
}

TEST(Udp, LargeMessagesTravelInFragments) {
  const auto sendings = sendings_by_chance(50, kUdpPeers, 1s, 5000);
  for (const int mtu : {576, 1500, 9000}) {
    NetworkParams params = tree();
    params.mtu = static_cast<std::uint16_t>(mtu);
    params.bandwidth = 100;
    const auto arrived = run(params, sendings);
    ASSERT_EQ(arrived.size(), sendings.size()) << mtu;
    for (const Arrived& each : arrived) EXPECT_EQ(each.bytes, 5000u);
  }
}

TEST(Udp, AMessageBeyondADatagramIsAnErrorThatNamesTheCure) {
  TransportWorld world(tree(), kUdpPeers);
  try {
    world.transport().send(0, 1, sched::Tasks{.spec = std::string(70'000, 'x')});
    FAIL() << "it went through";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("set context or fabric"), std::string::npos);
  }
}

// Five standard deviations of a binomial distribution are 67.
TEST(Udp, LosesItsShareAndTheSameOnesEachTime) {
  const auto sendings = sendings_by_chance(2000, kUdpPeers, 10s, 100);
  NetworkParams params = tree();
  params.loss = 0.1;
  const auto arrived = run(params, sendings);
  EXPECT_NEAR(static_cast<double>(sendings.size() - arrived.size()), 200, 67);
  EXPECT_EQ(difference(arrived, run(params, sendings)), 0ns);
}

TEST(Udp, NothingCrossesAPartitionWhileItLasts) {
  const FaultParams divided{.partition_share = 0.4, .partition_from = 1s, .partition_until = 2s};
  const Faults faults(divided, 9);  // The seed of TransportWorld.
  const auto sendings = sendings_by_chance(1500, kUdpPeers, 3s, 100);
  std::size_t cut = 0;
  for (const Sending& each : sendings) cut += faults.parted(each.at, each.from, each.to) ? 1u : 0u;
  const auto arrived = run(tree(), sendings, divided);
  EXPECT_GT(cut, 100u);
  EXPECT_EQ(arrived.size(), sendings.size() - cut);
  for (const Arrived& each : arrived) {
    EXPECT_FALSE(faults.parted(sendings[each.number].at, each.from, each.to));
  }
}

void count_packet(std::uint64_t* counter, ns3::Ptr<const ns3::Packet>) {
  ++*counter;
}

// Node i is peer i, its link is device 0; 30 peers and 3 leaves come before the spines.
TEST(Udp, SpinesShareWhatGoesBetweenRacksAndTraceSourcesTellIt) {
  const auto sendings = sendings_by_chance(1000, kUdpPeers, 1s, 100);
  NetworkParams params = tree();
  params.spines = 2;
  std::uint64_t by_spine[2] = {}, by_peer = 0;
  TransportWorld world(params, kUdpPeers);
  for (std::uint32_t spine = 0; spine < 2; ++spine) {
    const auto node = ns3::NodeList::GetNode(kUdpPeers + 3 + spine);
    for (std::uint32_t link = 0; link < 3; ++link) {
      node->GetDevice(link)->TraceConnectWithoutContext(
          "MacTx", ns3::MakeBoundCallback(&count_packet, &by_spine[spine]));
    }
  }
  ns3::NodeList::GetNode(7)->GetDevice(0)->TraceConnectWithoutContext(
      "MacTx", ns3::MakeBoundCallback(&count_packet, &by_peer));
  EXPECT_EQ(world.run(sendings).size(), sendings.size());
  std::uint64_t across = 0, of_seven = 0;
  for (const Sending& each : sendings) {
    across += each.from / 10 != each.to / 10 ? 1u : 0u;
    of_seven += each.from == 7 ? 1u : 0u;
  }
  EXPECT_EQ(by_spine[0] + by_spine[1], across);
  EXPECT_NEAR(static_cast<double>(by_spine[0]), static_cast<double>(across) / 2, 0.2 * 1000);
  EXPECT_EQ(by_peer, of_seven);
}

}  // namespace
}  // namespace dunlin::sim
