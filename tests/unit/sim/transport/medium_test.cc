// SPDX-License-Identifier: MIT
#include "sim/transport/medium.h"

#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Duration millisecond(std::uint32_t, std::uint32_t, std::uint64_t) {
  return 1ms;
}

Medium medium_of(const NetworkParams& params, const FaultParams& faults = {}) {
  return {params, millisecond, 7, Faults(faults, 9)};
}

TEST(Medium, LosesItsShareAndTheSameOnesEachTime) {
  Medium one = medium_of({.loss = 0.1});
  Medium other = medium_of({.loss = 0.1});
  int lost = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Passage passage = one.pass(Time{1s}, 1, 2, 100);
    EXPECT_EQ(passage.lost, other.pass(Time{1s}, 1, 2, 100).lost);
    lost += passage.lost ? 1 : 0;
  }
  EXPECT_NEAR(lost, 2000, 200);
}

TEST(Medium, LosesNothingToOneself) {
  Medium medium = medium_of({.loss = 1}, {.partition_share = 0.5, .partition_from = 0s});
  EXPECT_FALSE(medium.pass(Time{1s}, 3, 3, 100).lost);
  EXPECT_TRUE(medium.pass(Time{1s}, 3, 4, 100).lost);
}

// 1,250 bytes take 10 ms at 1 Mbit/s: the second waits for the first, another peer's does not.
TEST(Medium, MessagesWaitForEachOtherOnALinkOfLimitedBandwidth) {
  Medium medium = medium_of({.bandwidth = 1, .backlog = 1s});
  EXPECT_EQ(medium.pass(Time{1s}, 1, 2, 1250).delay, 11ms);
  EXPECT_EQ(medium.pass(Time{1s}, 1, 3, 1250).delay, 21ms);
  EXPECT_EQ(medium.pass(Time{1s}, 2, 3, 1250).delay, 11ms);
  EXPECT_EQ(medium.pass(Time{2s}, 1, 2, 1250).delay, 11ms) << "the link is free again";
}

TEST(Medium, DropsWhatWouldWaitTooLong) {
  Medium medium = medium_of({.bandwidth = 1, .backlog = 15ms});
  EXPECT_FALSE(medium.pass(Time{1s}, 1, 2, 1250).lost);
  EXPECT_FALSE(medium.pass(Time{1s}, 1, 2, 1250).lost);
  EXPECT_TRUE(medium.pass(Time{1s}, 1, 2, 1250).lost) << "20 ms of others are before it";
  EXPECT_FALSE(medium.pass(Time{1010ms}, 1, 2, 1250).lost);
}

// A message that arrives at 11 ms has been on the receiver's link since 1 ms.
TEST(Medium, MessagesWaitForEachOtherWhereTheyArrive) {
  Medium medium = medium_of({.bandwidth = 1, .backlog = 15ms});
  EXPECT_EQ(medium.land(Time{1011ms}, 3, 1250).delay, 0ms);
  EXPECT_EQ(medium.land(Time{1011ms}, 3, 1250).delay, 10ms);
  EXPECT_EQ(medium.land(Time{1011ms}, 4, 1250).delay, 0ms) << "another's link";
  EXPECT_EQ(medium.land(Time{1025ms}, 3, 1250).delay, 6ms);
  EXPECT_EQ(medium.land(Time{1041ms}, 3, 1250).delay, 0ms) << "the link is free again";
  EXPECT_EQ(medium.land(Time{1041ms}, 3, 1250).delay, 10ms);
  EXPECT_TRUE(medium.land(Time{1041ms}, 3, 1250).lost) << "20 ms of others are before it";
  EXPECT_FALSE(medium_of({}).lands());
}

// 1,219 bytes and 31 of headers take 10 ms on each of four links: 1 Mbit/s, and 2 to the spine.
TEST(Medium, RoutersOfATreePassOnWholeMessages) {
  Medium medium = medium_of({.latency_spread = Spread::racks,
      .bandwidth = 1,
      .backlog = 1s,
      .rack_size = 10,
      .spine_bandwidth = 2});
  EXPECT_EQ(medium.pass(Time{1s}, 1, 2, 1219).delay, 21ms);
  EXPECT_EQ(medium.pass(Time{2s}, 1, 12, 1219).delay, 31ms);
}

TEST(Faults, APartitionCutsBetweenItsPartsWhileItLasts) {
  const Faults faults({.partition_share = 0.3, .partition_from = 10s, .partition_until = 20s}, 5);
  std::uint32_t cut = 0;
  for (std::uint32_t peer = 1; peer < 1000; ++peer) {
    EXPECT_FALSE(faults.parted(Time{9999ms}, 0, peer));
    EXPECT_FALSE(faults.parted(Time{20s}, 0, peer));
    EXPECT_EQ(faults.parted(Time{15s}, 0, peer), faults.parted(Time{15s}, peer, 0));
    cut += faults.parted(Time{10s}, 0, peer) ? 1u : 0u;
  }
  EXPECT_NEAR(std::min(cut, 999 - cut), 300, 60);
}

TEST(Faults, TheirShareCrashesAtOnce) {
  const Faults faults({.crash_share = 0.25, .crash_at = 30s, .restart_after = 5s}, 5);
  std::uint32_t crashes = 0;
  faults.for_each_crash(2000, Time{60s}, [&](std::uint32_t, const Faults::Crash& crash) {
    EXPECT_EQ(crash.at, Time{30s});
    EXPECT_EQ(crash.down, 5s);
    ++crashes;
  });
  EXPECT_NEAR(crashes, 500, 80);
  faults.for_each_crash(
      2000, Time{29s}, [](std::uint32_t, const Faults::Crash&) { ADD_FAILURE() << "too late"; });
}

// Each peer lives 50 s and is down for 10: one crash a minute.
TEST(Faults, ChurnCrashesEachPeerNowAndThen) {
  const Faults faults({.life = 50s, .down_time = 10s}, 5);
  std::uint32_t crashes = 0;
  std::uint32_t last_peer = 0;
  Time last{};
  faults.for_each_crash(500, Time{600s}, [&](std::uint32_t peer, const Faults::Crash& crash) {
    const bool again = peer == last_peer && crashes > 0;
    EXPECT_TRUE(!again || crash.at >= last + 10s) << "dead already";
    last = crash.at;
    last_peer = peer;
    ++crashes;
  });
  EXPECT_NEAR(crashes, 5000, 300);
}

}  // namespace
}  // namespace dunlin::sim
