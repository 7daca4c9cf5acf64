// SPDX-License-Identifier: MIT
#include "sim/measure/resource_meter.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Usage cpus(double milli) {
  Usage usage{};
  usage[kCpuKind] = milli;
  return usage;
}

// Two machines of 1 CPU. One has a task that was to take .5 and wants 1.5 from 10 s to 20 s; the
// other one that takes .5, from 15 s to 20 s.
TEST(ResourceMeter, CountsWhatIsAllocatedUsedAndBeyond) {
  ResourceMeter meter(equal_machines(2, 1000), 5s);
  const auto first = meter.begin(Time{10s}, 0, cpus(500), cpus(1500));
  const auto second = meter.begin(Time{15s}, 1, cpus(500), cpus(500));
  meter.end(Time{20s}, first);
  meter.end(Time{20s}, second);
  const ResourceMeter::Result result = meter.result();
  EXPECT_DOUBLE_EQ(result.mean.allocated[kCpuKind], 0.375);
  EXPECT_DOUBLE_EQ(result.mean.used[kCpuKind], 0.625);
  EXPECT_DOUBLE_EQ(result.mean.over[kCpuKind], 0.25);
  EXPECT_DOUBLE_EQ(result.fragmented, 0.75) << "from 10 s to 15 s";
  EXPECT_EQ(result.busiest, kCpuKind);
  ASSERT_EQ(meter.looks().size(), 2u);
  EXPECT_DOUBLE_EQ(meter.looks()[0].parts.used[kCpuKind], 0.5);
  EXPECT_DOUBLE_EQ(meter.looks()[1].parts.used[kCpuKind], 0.75);
}

TEST(ResourceMeter, MeasuresNothingWithoutMachines) {
  ResourceMeter meter;
  EXPECT_FALSE(meter.measures());
  meter.set_background(Time{1s}, 0, 0.5);
  EXPECT_EQ(meter.result().fragmented, 0);
}

}  // namespace
}  // namespace dunlin::sim
