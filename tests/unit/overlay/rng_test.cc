// SPDX-License-Identifier: MIT
#include "overlay/rng.h"

#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <vector>

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;

// Runs must be the same on any machine and in any release: these numbers are for ever.
TEST(Rng, TheNumbersArePinned) {
  Rng rng(1);
  EXPECT_EQ(rng(), 587168960929266860u);
  EXPECT_EQ(rng(), 6742769312817389553u);
  EXPECT_EQ(rng.below(1000), 156u);
  EXPECT_EQ(rng.between(0s, 1s).count(), 348559929);
  EXPECT_EQ(rng.fork()(), 2134583136473752232u);
  EXPECT_NE(Rng(1)(), Rng(2)());
}

TEST(Rng, BelowIsUniform) {
  Rng rng(1);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts[rng.below(10)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Rng, UniformIsWithinItsBounds) {
  Rng rng(1);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = rng.uniform();
    ASSERT_GE(value, 0);
    ASSERT_LT(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
}

TEST(Rng, DurationsAreWithinTheirBounds) {
  Rng rng(1);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Duration jittered = rng.jitter(1s, 0.1);
    ASSERT_GE(jittered, 900ms);
    ASSERT_LE(jittered, 1100ms);
    const Duration drawn = rng.between(1s, 3s);
    ASSERT_GE(drawn, 1s);
    ASSERT_LT(drawn, 3s);
    sum += static_cast<double>(rng.exponential(1s).count()) / 1e9;
  }
  EXPECT_NEAR(sum / 100'000, 1.0, 0.02);
}

TEST(Rng, ChanceKeepsItsPromise) {
  Rng rng(1);
  int hits = 0;
  for (int i = 0; i < 100'000; ++i) hits += rng.chance(0.1);
  EXPECT_NEAR(hits, 10'000, 400);
  EXPECT_FALSE(rng.chance(0));
  EXPECT_TRUE(rng.chance(1));
}

TEST(Rng, DrawFrontDrawsEachSubsetAlike) {
  Rng rng(1);
  std::array<int, 6> at_front{};
  for (int i = 0; i < 60'000; ++i) {
    std::vector<int> items(6);
    std::iota(items.begin(), items.end(), 0);
    rng.draw_front(std::span(items), 2);
    ++at_front[static_cast<std::size_t>(items[0])];
    ++at_front[static_cast<std::size_t>(items[1])];
    ASSERT_EQ(std::set(items.begin(), items.end()).size(), 6u);
  }
  for (const int count : at_front) EXPECT_NEAR(count, 20'000, 600);
}

TEST(Rng, DrawFrontTakesAnyCount) {
  Rng rng(1);
  std::vector<int> items{1, 2};
  rng.draw_front(std::span(items), 9);
  std::vector<int> nothing;
  rng.draw_front(std::span(nothing), 3);
  EXPECT_EQ(std::set(items.begin(), items.end()), (std::set{1, 2}));
}

}  // namespace
}  // namespace dunlin::overlay
