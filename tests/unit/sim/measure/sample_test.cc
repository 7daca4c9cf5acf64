// SPDX-License-Identifier: MIT
#include "sim/measure/sample.h"

#include <gtest/gtest.h>

#include "overlay/rng.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Sample sample_of(std::initializer_list<Duration> values) {
  Sample sample;
  for (const Duration value : values) sample.add(value);
  return sample;
}

TEST(Sample, OfNothingSaysZero) {
  const Sample empty;
  EXPECT_TRUE(empty.exact());
  EXPECT_EQ(empty.count(), 0u);
  EXPECT_EQ(empty.min(), std::nullopt) << "of nothing there is no least value, and 0 is one";
  EXPECT_EQ(empty.max(), std::nullopt);
  EXPECT_EQ(empty.mean(), std::nullopt);
  EXPECT_EQ(empty.percentile(99), std::nullopt);
  EXPECT_TRUE(empty.distribution().empty());
}

// Completions in s, by hand. The nearest rank would say 200 for both, a histogram 200.8 at most.
TEST(Sample, PercentilesAreExactAndInterpolated) {
  const Sample sample = sample_of({40s, 10s, 200s, 30s, 20s});
  EXPECT_EQ(sample.percentile(50), 30s);
  EXPECT_EQ(sample.percentile(90), 136s);      // 40 s and .6 of the way to 200 s.
  EXPECT_EQ(sample.percentile(99), 193600ms);  // .96 of that way.
  EXPECT_EQ(sample.min(), 10s);
  EXPECT_EQ(sample.max(), 200s);
  EXPECT_EQ(sample.mean(), 60s);
  EXPECT_EQ(sample.count(), 5u);
}

TEST(Sample, ValuesThatComeAfterALookCount) {
  Sample sample = sample_of({3s, 1s});
  EXPECT_EQ(sample.percentile(50), 2s);
  sample.add(2s);
  sample.add(-1s);  // Counts as 0.
  EXPECT_EQ(sample.percentile(0), 0s);
  EXPECT_EQ(sample.percentile(50), 1500ms);
  EXPECT_EQ(sample.min(), 0s);
  EXPECT_EQ(sample.max(), 3s);
}

// Memory is bounded: beyond so many values they are counted in buckets, and none is lost.
TEST(Sample, FoldsIntoAHistogramBeyondItsBound) {
  Sample sample{1000}, all;
  overlay::Rng rng{3};
  for (int i = 0; i < 5000; ++i) {
    const Duration value = rng.exponential(3ms);
    sample.add(value);
    all.add(value);
    EXPECT_EQ(sample.exact(), i < 1000);
  }
  EXPECT_TRUE(all.exact());
  EXPECT_EQ(sample.count(), 5000u);
  EXPECT_EQ(sample.min(), all.min());
  EXPECT_EQ(sample.max(), all.max());
  EXPECT_EQ(sample.mean(), all.mean());
  for (const double percent : {1.0, 50.0, 90.0, 95.0, 99.0}) {
    const auto exact = static_cast<double>(all.percentile(percent)->count());
    EXPECT_NEAR(static_cast<double>(sample.percentile(percent)->count()), exact, exact * 0.005);
  }
  EXPECT_EQ(sample.distribution().size(), all.distribution().size());
}

// A report holds up to 35 samples; 10^6 peers with four million tasks must fit a machine beside it.
TEST(Sample, TheBoundIs32Megabytes) {
  EXPECT_EQ(Sample::kExactMax * sizeof(Duration), std::size_t{32} << 20);
}

}  // namespace
}  // namespace dunlin::sim
