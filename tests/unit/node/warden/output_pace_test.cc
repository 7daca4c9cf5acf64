// SPDX-License-Identifier: MIT
#include "node/warden/output/output_pace.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace dunlin::node::warden {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;

class OutputPaceTest : public ::testing::Test {
 protected:
  /// One stream that has written much asks until it may write no more in this step. All that it
  /// was granted; the disk has that much less.
  std::uint64_t fill() {
    std::uint64_t sum = 0;
    for (;;) {
      const std::uint64_t bytes = pace.grant(kMiB, [this] {
        ++looks;
        return free;
      });
      if (bytes == 0) return sum;
      sum += bytes;
      free = *free - std::min(*free, bytes);
    }
  }
  bool step(std::uint64_t room_min) { return pace.step(now += OutputPace::kStep, room_min); }

  OutputPace pace;
  OutputPace::Clock::time_point now{std::chrono::hours(1)};
  std::optional<std::uint64_t> free = 64 * kMiB;
  int looks = 0;
};

TEST_F(OutputPaceTest, WithoutABoundNothingIsLookedAt) {
  step(0);
  EXPECT_EQ(pace.grant(kMiB, [] { return std::optional<std::uint64_t>(0); }), OutputPace::kTurn);
}

TEST_F(OutputPaceTest, TheRoomThatIsToStayIsFilledSlowly) {
  step(4 * kMiB);
  fill();
  EXPECT_LE(*free, 4 * kMiB + 2 * OutputPace::kLittle);
  EXPECT_GT(*free, 4 * kMiB - 3 * OutputPace::kLittle);
  EXPECT_LT(looks, 30) << "a few, as it comes nearer";
  for (int steps = 0; steps < 20; ++steps) {
    step(4 * kMiB);
    EXPECT_LE(fill(), OutputPace::kLittle);
  }
  EXPECT_GT(*free, 5 * kMiB / 2) << "a second later";
  free = 64 * kMiB;
  step(4 * kMiB);
  EXPECT_GT(fill(), 50 * kMiB) << "there is room again";
}

TEST_F(OutputPaceTest, ALargeDiskIsFilledATenthOfItASecond) {
  free = 900 * kMiB;
  step(1000 * kMiB);
  EXPECT_EQ(fill(), 5 * kMiB);
  EXPECT_FALSE(pace.step(now, 1000 * kMiB)) << "not before its time";
}

TEST_F(OutputPaceTest, AStreamsFirstBytesAreNotHeldBack) {
  free = 0;
  step(4 * kMiB);
  fill();
  EXPECT_EQ(pace.grant(100, [] { return std::optional<std::uint64_t>(0); }), OutputPace::kLittle);
}

TEST_F(OutputPaceTest, ADiskThatCannotTellIsFilled) {
  free.reset();
  step(4 * kMiB);
  EXPECT_EQ(pace.grant(kMiB, [this] { return free; }), OutputPace::kTurn);
}

}  // namespace
}  // namespace dunlin::node::warden
