// SPDX-License-Identifier: MIT
#include "sched/frontend/estimates/use_samples.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

Resources writes(std::uint32_t rate) {
  return {.cpu = 0, .memory = 0, .custom = {}, .disk_write = rate};
}

TEST(UseSamples, KnowsNothingOfWhatWasNeverSeen) {
  UseSamples samples;
  EXPECT_EQ(samples.estimate(), Resources{});
  samples.add(writes(100));
  EXPECT_EQ(samples.estimate(), writes(110));
  EXPECT_EQ(samples.tasks(), 1u);
}

TEST(UseSamples, TakesThe95thPercentileAndATenth) {
  UseSamples samples;
  for (std::uint32_t i = 1; i <= 20; ++i) samples.add(writes(i * 100));
  EXPECT_EQ(samples.estimate(), writes(2090)) << "the 19th of 20";
}

TEST(UseSamples, ForgetsTheOldest) {
  UseSamples samples;
  for (int i = 0; i < 50; ++i) samples.add(writes(1'000'000));
  for (std::size_t i = 0; i < UseSamples::kKept; ++i) samples.add(writes(10));
  EXPECT_EQ(samples.estimate(), writes(11));
  EXPECT_EQ(samples.tasks(), 50u + UseSamples::kKept);
}

// A node may count one of them only now and then.
TEST(UseSamples, EachResourceStandsForItself) {
  UseSamples samples;
  samples.add(writes(100));
  samples.add({.cpu = 2000, .memory = 0, .custom = {}});
  samples.add({.cpu = 0, .memory = 512, .custom = {}});
  EXPECT_EQ(
      samples.estimate(), (Resources{.cpu = 2200, .memory = 564, .custom = {}, .disk_write = 110}));
}

TEST(PeaksOf, APeakCountsAndAMeanThatIsLarger) {
  Report report{.wall = 10s, .cpu = 5s, .memory_peak = (std::uint64_t{3} << 20) + 1};
  report.use = {.cpu_peak = 800, .disk_written = 100 << 20, .disk_write_peak = 50'000};
  const Resources peaks = peaks_of(report);
  EXPECT_EQ(peaks.cpu, 800u);
  EXPECT_EQ(peaks.memory, 4u);
  EXPECT_EQ(peaks.disk_write, 50'000u);
  report.use.cpu_peak = 0;
  report.use.disk_write_peak = 0;
  EXPECT_EQ(peaks_of(report).cpu, 500u);
  EXPECT_EQ(peaks_of(report).disk_write, 10'240u);
}

// Or each task of a millisecond would seem to need a disk of its own.
TEST(PeaksOf, WhatIsWrittenInAMomentCountsAsIfItTookASecond) {
  Report report{.wall = 1ms};
  report.use.disk_written = 64 << 10;
  report.use.disk_write_peak = 6400;  // As its node says, by the mean over its run.
  EXPECT_EQ(peaks_of(report).disk_write, 64u);
}

}  // namespace
}  // namespace dunlin::sched
