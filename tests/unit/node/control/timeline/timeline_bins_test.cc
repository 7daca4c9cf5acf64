// SPDX-License-Identifier: MIT
#include "node/control/timeline/timeline_bins.h"

#include <algorithm>
#include <cstdint>
#include <gmock/gmock.h>
#include <limits>
#include <numeric>
#include <random>

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using Mark = TimelineBins::Mark;

constexpr std::int64_t kBegin = 1'700'000'000'000'000'000;
constexpr auto kBin = static_cast<std::int64_t>(TimelineBins::kWidthMin);

TEST(TimelineBins, CountsByGroupMarkAndTime) {
  TimelineBins bins(kBegin, 2, 4);
  bins.add(0, Mark::started, kBegin - 5);
  bins.add(0, Mark::started, kBegin + kBin);
  bins.add(1, Mark::failed, kBegin + kBin + 1);
  EXPECT_EQ(bins.size(), 2u);
  EXPECT_THAT(bins.counts(0, Mark::started), ElementsAre(1, 1));
  EXPECT_THAT(bins.counts(0, Mark::failed), ElementsAre(0, 0));
  EXPECT_THAT(bins.counts(1, Mark::failed), ElementsAre(0, 1));
}

TEST(TimelineBins, BecomeWiderAndLoseNothing) {
  TimelineBins bins(kBegin, 1, 5);
  for (int i = 0; i < 5; ++i) bins.add(0, Mark::done, kBegin + i * kBin);
  EXPECT_EQ(bins.width(), TimelineBins::kWidthMin);
  bins.reach(kBegin + 5 * kBin);
  EXPECT_EQ(bins.width(), 2 * TimelineBins::kWidthMin);
  EXPECT_THAT(bins.counts(0, Mark::done), ElementsAre(2, 2, 1));
  bins.add(0, Mark::done, kBegin + 19 * kBin);
  EXPECT_THAT(bins.counts(0, Mark::done), ElementsAre(4, 1, 0, 0, 1));
}

// A node may have any clock.
TEST(TimelineBins, AnyTimeIsTaken) {
  TimelineBins bins(kBegin, 1, 2);
  bins.add(0, Mark::lost, std::numeric_limits<std::int64_t>::max());
  bins.add(0, Mark::lost, std::numeric_limits<std::int64_t>::min());
  EXPECT_THAT(bins.counts(0, Mark::lost), ElementsAre(1, 1));
  TimelineBins early(std::numeric_limits<std::int64_t>::min(), 1, 2);
  early.add(0, Mark::lost, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(early.counts(0, Mark::lost).back(), 1u);
}

// In whichever order things are told, the picture is the same.
TEST(TimelineBins, OrderMakesNoDifference) {
  std::mt19937_64 chance(7);
  std::vector<std::int64_t> times(500);
  for (auto& time : times) time = kBegin + static_cast<std::int64_t>(chance() % 1'000'000'000'000);
  TimelineBins forth(kBegin, 1, 37);
  TimelineBins back(kBegin, 1, 37);
  for (const auto time : times) forth.add(0, Mark::started, time);
  for (auto time = times.rbegin(); time != times.rend(); ++time) back.add(0, Mark::started, *time);
  ASSERT_EQ(forth.size(), back.size());
  EXPECT_EQ(forth.width(), back.width());
  const auto counts = forth.counts(0, Mark::started);
  EXPECT_TRUE(std::ranges::equal(counts, back.counts(0, Mark::started)));
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0u), 500u);
}

}  // namespace
}  // namespace dunlin::node
