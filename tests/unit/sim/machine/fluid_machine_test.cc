// SPDX-License-Identifier: MIT
#include "sim/machine/fluid_machine.h"

#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kReadKind = 2;

/// 4 CPUs, 4 GiB, 100 MiB/s to read.
sched::Resources machine() {
  return {.cpu = 4000, .memory = 4096, .custom = {}, .disk_read = 100 * 1024};
}

Usage reads(double mebibytes) {
  Usage use{};
  use[kReadKind] = mebibytes * 1024;
  return use;
}

// By hand: of o times the rate, 1 / o is what each gets, and of that 1 - 1 / o times the loss goes.
TEST(FluidMachine, PaceFollowsTheFormula) {
  EXPECT_DOUBLE_EQ(pace_of(0.5, 0.3), 1);
  EXPECT_DOUBLE_EQ(pace_of(1, 0.3), 1);
  EXPECT_DOUBLE_EQ(pace_of(2, 0), 0.5);
  EXPECT_DOUBLE_EQ(pace_of(2, 0.3), 0.425);
  EXPECT_DOUBLE_EQ(pace_of(4, 0.6), 0.1375);
  EXPECT_DOUBLE_EQ(pace_of(2, 1), 0.25) << "all of the excess is lost";
}

TEST(FluidMachine, TasksThatFitEndToTheNanosecond) {
  FluidMachine fluid(machine(), 1, 0.3);
  fluid.start(Time{1s}, 1, reads(50), 3s + 1ns);
  fluid.start(Time{2s}, 2, reads(50), 7s);
  EXPECT_EQ(fluid.end_of(1), Time{4s + 1ns});
  EXPECT_EQ(fluid.end_of(2), Time{9s});
  EXPECT_EQ(fluid.next_end(), Time{4s + 1ns});
  EXPECT_EQ(fluid.stop(Time{4s + 1ns}, 1), Duration{0});
  EXPECT_EQ(fluid.end_of(1), overlay::kNever);
}

// Slide 6: two tasks that want the whole of a rate run at half speed, and one that wants none of it
// is not disturbed. Here the second comes later, and leaves sooner.
TEST(FluidMachine, PacesChangeAsTasksComeAndGo) {
  FluidMachine fluid(machine(), 1, 0);
  fluid.start(Time{0s}, 1, reads(100), 10s);
  fluid.start(Time{0s}, 2, reads(0), 10s);
  EXPECT_EQ(fluid.end_of(1), Time{10s});
  fluid.start(Time{4s}, 3, reads(100), 2s);
  EXPECT_EQ(fluid.end_of(1), Time{16s}) << "as things stand: 6 s of work at half speed";
  EXPECT_EQ(fluid.end_of(2), Time{10s});
  EXPECT_EQ(fluid.end_of(3), Time{8s});
  EXPECT_EQ(fluid.stop(Time{8s}, 3), Duration{0});
  EXPECT_EQ(fluid.end_of(1), Time{12s});
  EXPECT_EQ(fluid.stop(Time{9s}, 1), 3s) << "what a task has left that is stopped";
}

TEST(FluidMachine, CpusAreDividedWithoutLossAndMemorySlowsNone) {
  FluidMachine fluid(machine(), 1, 0.5);
  Usage busy{};
  busy[kCpuKind] = 8000;
  busy[kMemoryKind] = 8192;
  fluid.start(Time{0s}, 1, busy, 10s);
  EXPECT_EQ(fluid.end_of(1), Time{20s});
}

TEST(FluidMachine, RatesThatAreNotDeclaredHaveNoLimit) {
  FluidMachine fluid({.cpu = 1000, .memory = 1, .custom = {}}, 2, 0.5);
  fluid.start(Time{0s}, 1, reads(1e6), 10s);
  EXPECT_EQ(fluid.end_of(1), Time{5s}) << "at speed 2";
}

TEST(FluidMachine, BackgroundTakesItsShareOfRates) {
  FluidMachine fluid(machine(), 1, 0);
  fluid.start(Time{0s}, 1, reads(100), 10s);
  fluid.set_background(Time{5s}, 0.5);
  EXPECT_EQ(fluid.end_of(1), Time{15s});
  fluid.set_background(Time{7s}, 0);
  EXPECT_EQ(fluid.end_of(1), Time{11s});
}

}  // namespace
}  // namespace dunlin::sim
