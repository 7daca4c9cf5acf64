// SPDX-License-Identifier: MIT
#include "config/percentile.h"

#include <gtest/gtest.h>
#include <vector>

namespace dunlin::config {
namespace {

// By hand, as numpy.percentile and R's quantile(type = 7) do: of n values the p-th percentile lies
// p % of the n - 1 steps above the least.
TEST(Percentile, InterpolatesBetweenTheClosestRanks) {
  const std::vector<double> values = {15, 20, 35, 40, 50};
  EXPECT_DOUBLE_EQ(percentile_of(values, 0), 15);
  EXPECT_DOUBLE_EQ(percentile_of(values, 25), 20);  // One whole step.
  EXPECT_DOUBLE_EQ(percentile_of(values, 40), 29);  // 1.6 steps; the nearest rank is 20.
  EXPECT_DOUBLE_EQ(percentile_of(values, 50), 35);
  EXPECT_DOUBLE_EQ(percentile_of(values, 95), 48);    // 3.8 steps; the nearest rank is 50.
  EXPECT_DOUBLE_EQ(percentile_of(values, 99), 49.6);  // 3.96 steps.
  EXPECT_DOUBLE_EQ(percentile_of(values, 100), 50);
}

TEST(Percentile, OfOneValueIsThatValue) {
  const std::vector<double> values = {7};
  for (const double percent : {0.0, 50.0, 99.0, 100.0}) {
    EXPECT_DOUBLE_EQ(percentile_of(values, percent), 7);
  }
}

TEST(Percentile, OfTwoIsBetweenThem) {
  const std::vector<double> values = {10, 20};
  EXPECT_DOUBLE_EQ(percentile_of(values, 50), 15);  // The nearest rank is 10.
  EXPECT_DOUBLE_EQ(percentile_of(values, 99), 19.9);
}

// A whole number of steps is no way to the next value, even if doubles are not exact.
TEST(Percentile, AWholeRankIsExact) {
  for (std::uint64_t count = 1; count <= 1001; count += 100) {
    for (int percent = 0; percent <= 100; ++percent) {
      const Place place = place_of_percentile(percent, count);
      const auto steps = static_cast<std::uint64_t>(percent) * (count - 1);
      EXPECT_EQ(place.below, steps / 100);
      EXPECT_EQ(place.beyond == 0, steps % 100 == 0) << percent << " % of " << count;
    }
  }
}

}  // namespace
}  // namespace dunlin::config
