// SPDX-License-Identifier: MIT
#include "sim/transport/latency.h"

#include <gtest/gtest.h>
#include <set>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

double us(Duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

TEST(Latency, ConstantIgnoresBothSpreads) {
  const LatencyModel model({.latency_spread = Spread::constant, .latency = 500us}, 1);
  for (std::uint32_t i = 1; i < 50; ++i) EXPECT_EQ(model(i, i + 1, i), 500us);
}

TEST(Latency, PairsKeepTheirBaseInBothDirections) {
  const LatencyModel model({.pair_spread = 0.5, .jitter = 0}, 3);
  std::set<Duration> bases;
  for (std::uint32_t to = 1; to < 100; ++to) {
    EXPECT_EQ(model(0, to, 1), model(to, 0, 77));
    bases.insert(model.base(0, to));
  }
  EXPECT_GT(bases.size(), 95u);
}

// A pure function: the order of calls and other messages change nothing, the seed does.
TEST(Latency, DependsOnSeedPairAndNumberAlone) {
  const LatencyModel model({}, 5), same({}, 5), other({}, 6);
  const Duration first = model(3, 4, 10);
  for (std::uint64_t number = 0; number < 9; ++number) (void)same(4, 3, number);
  EXPECT_EQ(same(3, 4, 10), first);
  EXPECT_NE(other(3, 4, 10), first);
  EXPECT_NE(model(3, 4, 11), first);
}

class LatencySpread : public ::testing::TestWithParam<Spread> {};

TEST_P(LatencySpread, HasTheMeanAskedFor) {
  const LatencyModel model(
      {.latency_spread = GetParam(), .latency = 500us, .pair_spread = 0.4, .jitter = 0.3}, 9);
  double sum = 0;
  Duration shortest = 1h, longest{0};
  constexpr std::uint32_t kPeers = 200;
  for (std::uint32_t from = 0; from < kPeers; ++from) {
    for (std::uint32_t to = 0; to < kPeers; ++to) {
      if (from == to) continue;
      const Duration delay = model(from, to, to);
      sum += us(delay);
      shortest = std::min(shortest, delay);
      longest = std::max(longest, delay);
    }
  }
  EXPECT_NEAR(sum / (kPeers * (kPeers - 1)), 500, 5);
  EXPECT_GT(shortest, 0us);
  if (GetParam() != Spread::uniform) return;
  EXPECT_GE(shortest, 209us);  // 500 × 0.6 × 0.7 = 210.
  EXPECT_LE(longest, 911us);   // 500 × 1.4 × 1.3 = 910.
  EXPECT_LT(shortest, 240us);
  EXPECT_GT(longest, 870us);
}

INSTANTIATE_TEST_SUITE_P(
    Spreads, LatencySpread, ::testing::Values(Spread::uniform, Spread::log_normal));

TEST(Latency, RacksAddUpTheLinksBetween) {
  const LatencyModel model(
      {.latency_spread = Spread::racks, .rack_size = 10, .peer_delay = 100us, .spine_delay = 150us},
      1);
  for (std::uint64_t number = 1; number < 20; ++number) {
    EXPECT_EQ(model(0, 9, number), 200us);
    EXPECT_EQ(model(9, 10, number), 500us);
    EXPECT_EQ(model(10, 9, number), 500us);
  }
  EXPECT_EQ(model(3, 3, 1), 5us);
}

TEST(Latency, ToOneselfIsShortAndNeverNothing) {
  const LatencyModel model({}, 1);
  EXPECT_GT(model(2, 2, 1), 0us);
  EXPECT_LT(model(2, 2, 1), 50us);
}

}  // namespace
}  // namespace dunlin::sim
