// SPDX-License-Identifier: MIT
#include "overlay/deadlines.h"

#include <gtest/gtest.h>

namespace dunlin::overlay {
namespace {

using namespace std::chrono_literals;

enum class Timer { one, two, count_ };

TEST(Deadlines, TheEarliestDecides) {
  Deadlines<Timer> deadlines;
  EXPECT_EQ(deadlines.earliest(), kNever);
  deadlines.set(Timer::two, Time{5s});
  deadlines.set(Timer::one, Time{7s});
  EXPECT_EQ(deadlines.earliest(), Time{5s});
  deadlines.clear(Timer::two);
  EXPECT_EQ(deadlines.earliest(), Time{7s});
}

TEST(Deadlines, NoLaterOnlyMovesForward) {
  Deadlines<Timer> deadlines;
  deadlines.no_later(Timer::one, Time{5s});
  deadlines.no_later(Timer::one, Time{9s});
  EXPECT_EQ(deadlines.at(Timer::one), Time{5s});
  deadlines.no_later(Timer::one, Time{2s});
  EXPECT_EQ(deadlines.at(Timer::one), Time{2s});
}

TEST(Deadlines, ADeadlineComesOnce) {
  Deadlines<Timer> deadlines;
  deadlines.set(Timer::one, Time{5s});
  EXPECT_FALSE(deadlines.take(Timer::one, Time{5s} - 1ns));
  EXPECT_TRUE(deadlines.take(Timer::one, Time{5s}));
  EXPECT_FALSE(deadlines.take(Timer::one, Time{6s}));
  EXPECT_FALSE(deadlines.take(Timer::two, Time{6s}));
}

}  // namespace
}  // namespace dunlin::overlay
