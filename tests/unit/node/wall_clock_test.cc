// SPDX-License-Identifier: MIT
#include "node/wall_clock.h"

#include <gtest/gtest.h>
#include <limits>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;
using overlay::Duration;
using overlay::Time;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kWall = 1'700'000'000 * kSecond;

TEST(WallClock, CountsFrom1970) {
  EXPECT_GT(wall_clock_ns(), kWall);
  EXPECT_LT(wall_clock_ns(), 4 * kWall);
}

TEST(WallClock, GivesTheLoopsTime) {
  const Clocks clocks{.now = Time{100s}, .wall_ns = kWall};
  EXPECT_EQ(loop_time_of(kWall, clocks), Time{100s});
  EXPECT_EQ(loop_time_of(kWall - 40 * kSecond, clocks), Time{60s});
}

// The machine booted, and its clock began at zero, after that moment.
TEST(WallClock, GoesBackBeforeTheLoopsZero) {
  const Clocks clocks{.now = Time{100s}, .wall_ns = kWall};
  EXPECT_EQ(loop_time_of(kWall - 86'400 * kSecond, clocks), Time{100s - 24h});
}

TEST(WallClock, ThatWasSetBackGivesTheFuture) {
  const Clocks clocks{.now = Time{100s}, .wall_ns = kWall};
  EXPECT_EQ(loop_time_of(kWall + 5 * kSecond, clocks), Time{105s});
}

TEST(WallClock, Saturates) {
  constexpr auto kMin = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(loop_time_of(kMin, {.now = Time{100s}, .wall_ns = kWall}), Time{100s + Duration{kMin}});
  EXPECT_EQ(loop_time_of(kMin, {.now = Time{-100s}, .wall_ns = kWall}), Time::min());
  EXPECT_EQ(loop_time_of(kMax, {.now = Time{100s}, .wall_ns = -kWall}), Time::max());
  EXPECT_EQ(loop_time_of(0, {.now = Time{100s}, .wall_ns = kMin}), Time::max());
}

}  // namespace
}  // namespace dunlin::node
