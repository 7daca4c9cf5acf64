// SPDX-License-Identifier: MIT
#include "sim/measure/histogram.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "config/percentile.h"
#include "overlay/rng.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

TEST(Histogram, OfNothingSaysZero) {
  const Histogram empty;
  EXPECT_EQ(empty.count(), 0u);
  EXPECT_EQ(empty.mean(), 0ns);
  EXPECT_EQ(empty.percentile(99), 0ns);
  EXPECT_TRUE(empty.distribution().empty());
}

TEST(Histogram, IsExactForSmallValues) {
  Histogram histogram;
  for (int i = 0; i < 256; ++i) histogram.add(Duration{i});
  EXPECT_EQ(histogram.percentile(0), 0ns);
  EXPECT_EQ(histogram.percentile(50), 128ns);  // 127.5, rounded.
  EXPECT_EQ(histogram.percentile(100), 255ns);
  EXPECT_EQ(histogram.mean(), 128ns);  // 127.5, rounded.
  EXPECT_EQ(histogram.distribution().size(), 256u);
}

// Percentiles of values over nine decades are within 0.4 % of those of the sorted values.
TEST(Histogram, PercentilesAreWithinTheirPrecision) {
  overlay::Rng rng{7};
  Histogram histogram;
  std::vector<Duration> values;
  for (int i = 0; i < 20'000; ++i) {
    values.push_back(Duration{std::llround(std::pow(10.0, 1 + 9 * rng.uniform()))});
    histogram.add(values.back());
  }
  std::ranges::sort(values);
  for (const double percent : {1.0, 25.0, 50.0, 90.0, 95.0, 99.0, 99.9}) {
    const config::Place place = config::place_of_percentile(percent, 20'000);
    const double exact = config::value_at_place(
        place, [&](std::uint64_t i) { return static_cast<double>(values[i].count()); });
    EXPECT_NEAR(static_cast<double>(histogram.percentile(percent).count()), exact, exact * 0.004)
        << percent;
  }
  EXPECT_EQ(histogram.min(), values.front());
  EXPECT_EQ(histogram.max(), values.back());
}

TEST(Histogram, MergedIsAsIfAddedTogether) {
  overlay::Rng rng{11};
  Histogram one, two, both;
  for (int i = 0; i < 1000; ++i) {
    const Duration value = rng.exponential(3ms);
    (i % 3 == 0 ? one : two).add(value);
    both.add(value);
  }
  one.merge(two);
  one.merge(Histogram{});
  EXPECT_EQ(one.count(), both.count());
  EXPECT_EQ(one.min(), both.min());
  EXPECT_EQ(one.max(), both.max());
  for (int percent = 0; percent <= 100; ++percent) {
    EXPECT_EQ(one.percentile(percent), both.percentile(percent));
  }
}

TEST(Histogram, DistributionRisesToOne) {
  Histogram histogram;
  for (const auto value : {1ms, 5ms, 5ms, 1000ms}) histogram.add(value);
  histogram.add(-1ms);  // Counts as 0.
  const auto points = histogram.distribution();
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].value, 0ns);
  EXPECT_DOUBLE_EQ(points[2].share, 0.8);
  EXPECT_DOUBLE_EQ(points[3].share, 1.0);
  EXPECT_EQ(points[3].value, 1000ms);
}

}  // namespace
}  // namespace dunlin::sim
