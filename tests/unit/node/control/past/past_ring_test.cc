// SPDX-License-Identifier: MIT
#include "node/control/past/past_ring.h"

#include <gmock/gmock.h>
#include <set>
#include <string>

#include "node/metrics.h"

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

constexpr overlay::Time kRingStart{std::chrono::hours(24 * 365)};
constexpr auto kRunning = static_cast<std::size_t>(PastLevel::running);
constexpr auto kLate = static_cast<std::size_t>(PastLevel::loop_late);
constexpr auto kFailed = static_cast<std::size_t>(PastLevel::failed);

PastFigures figures_of(std::int64_t running, std::int64_t late = 0, std::int64_t failed = 0) {
  PastFigures figures{};
  figures[kRunning] = running;
  figures[kLate] = late;
  figures[kFailed] = failed;
  return figures;
}

TEST(PastRing, LevelsHaveTheirNames) {
  EXPECT_EQ(kPastFigures[kRunning].name, "running");
  EXPECT_EQ(kPastFigures[kLate].name, "loop_late_ns");
  EXPECT_EQ(kPastFigures[kFailed].name, "failed");
  EXPECT_TRUE(kPastFigures[kFailed].counter.empty());
  EXPECT_FALSE(kPastFigures[kFailed + 1].counter.empty());
  std::set<std::string_view> names;
  for (const PastFigure& figure : kPastFigures) EXPECT_TRUE(names.insert(figure.name).second);
}

// A counter that was renamed would be 0 for ever.
TEST(PastRing, EachCounterIsOneOfStatus) {
  const auto counters = Metrics().snapshot({});
  for (const PastFigure& figure : kPastFigures) {
    if (figure.counter.empty()) continue;
    EXPECT_TRUE(counters.contains(std::string(figure.counter))) << figure.name;
  }
}

// It is there at every agent, whatever happens.
TEST(PastRing, TakesLittleMemoryAndNeverMore) {
  PastRing ring;
  const std::size_t bytes = ring.bytes();
  EXPECT_LE(bytes, std::size_t{12} * 1024 * 1024 / 10) << "1.2 MiB";
  for (int i = 0; i < 5000; ++i) ring.add(kRingStart + i * 5s, figures_of(i));
  EXPECT_EQ(ring.bytes(), bytes);
}

TEST(PastRing, KeepsAnHourOfStepsAndTwoDaysOfMinutes) {
  PastRing ring;
  EXPECT_EQ(ring.kept(PastRing::kFine).first, ring.kept(PastRing::kFine).end);
  constexpr int kSteps = 3 * 24 * 720;
  for (int i = 0; i < kSteps; ++i) ring.add(kRingStart + i * 5s, figures_of(i));
  const auto fine = ring.kept(PastRing::kFine);
  EXPECT_EQ(fine.end - fine.first, 720);
  EXPECT_EQ(ring.at(PastRing::kFine, fine.end - 1, kRunning), kSteps - 1);
  EXPECT_EQ(ring.at(PastRing::kFine, fine.first, kRunning), kSteps - 720);
  const auto coarse = ring.kept(PastRing::kCoarse);
  EXPECT_EQ(coarse.end - coarse.first, 2880);
}

TEST(PastRing, AMinuteIsTheMeanTheSumOrTheHighest) {
  PastRing ring;
  for (int i = 0; i < 13; ++i) ring.add(kRingStart + i * 5s, figures_of(i, i == 3 ? 99 : 1, 2));
  const auto coarse = ring.kept(PastRing::kCoarse);
  ASSERT_EQ(coarse.end - coarse.first, 1) << "the second one is under way";
  EXPECT_EQ(ring.at(PastRing::kCoarse, coarse.first, kRunning), 5) << "of 0 to 11";
  EXPECT_EQ(ring.at(PastRing::kCoarse, coarse.first, kLate), 99);
  EXPECT_EQ(ring.at(PastRing::kCoarse, coarse.first, kFailed), 24);
}

// A machine that was suspended, or an agent that hung, has no figures of that time.
TEST(PastRing, WhatNobodySawIsUnknown) {
  PastRing ring;
  ring.add(kRingStart, figures_of(1));
  ring.add(kRingStart + 20s, figures_of(2));
  const auto fine = ring.kept(PastRing::kFine);
  ASSERT_EQ(fine.end - fine.first, 5);
  EXPECT_EQ(ring.at(PastRing::kFine, fine.first + 1, kRunning), PastRing::kUnknown);
  EXPECT_EQ(ring.at(PastRing::kFine, fine.end - 1, kRunning), 2);
  ring.add(kRingStart + 24h, figures_of(3));
  const auto later = ring.kept(PastRing::kFine);
  EXPECT_EQ(later.end - later.first, 720);
  EXPECT_EQ(ring.at(PastRing::kFine, later.first, kRunning), PastRing::kUnknown);
  EXPECT_EQ(ring.at(PastRing::kFine, later.end - 1, kRunning), 3);
  ring.add(kRingStart, figures_of(4));
  EXPECT_EQ(ring.at(PastRing::kFine, later.end - 1, kRunning), 3) << "time does not go back";
}

TEST(PastRing, AMachineThatHasJustBegunIsNoFault) {
  PastRing ring;
  ring.add(overlay::Time{-5s}, figures_of(1));
  ring.add(overlay::Time{}, figures_of(2));
  const auto fine = ring.kept(PastRing::kFine);
  ASSERT_EQ(fine.end - fine.first, 1);
  EXPECT_EQ(ring.at(PastRing::kFine, fine.first, kRunning), 2);
}

}  // namespace
}  // namespace dunlin::node
