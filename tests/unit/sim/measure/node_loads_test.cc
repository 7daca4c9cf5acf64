// SPDX-License-Identifier: MIT
#include "sim/measure/node_loads.h"

#include <gtest/gtest.h>

#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

constexpr Window kWindow{.from = Time{10s}, .until = Time{20s}};

TEST(NodeLoads, RatesAreOfTheWindowAndOfAllMachines) {
  NodeLoads loads(kWindow, equal_machines(4, 1000), 1s);
  loads.on_served(0, Time{9s});  // Too early, and the next too late.
  loads.on_served(0, Time{20s});
  for (int i = 0; i < 6; ++i) loads.on_served(0, Time{10s});
  for (int i = 0; i < 2; ++i) loads.on_served(2, Time{19s});
  const auto result = loads.result(kWindow.until);
  ASSERT_TRUE(result);
  EXPECT_DOUBLE_EQ(result->mean_per_s, 0.2) << "8 in 10 s by 4 machines";
  EXPECT_DOUBLE_EQ(result->min_per_s, 0) << "two served none";
  EXPECT_DOUBLE_EQ(result->max_per_s, 0.6);
  EXPECT_DOUBLE_EQ(result->balance.value(), 64.0 / (4 * (36 + 4)));
  EXPECT_DOUBLE_EQ(loads.result(Time{14s})->mean_per_s, 0.375) << "6 in 4 s: no work came later";
}

// Machines that take turns have had the same load in the end, and are never balanced.
TEST(NodeLoads, BalanceIsOfTheSameMoment) {
  NodeLoads turns(kWindow, equal_machines(2, 1000), 1s);
  NodeLoads together(kWindow, equal_machines(2, 1000), 1s);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const Time begin{10s + i * 1s};
    turns.on_work(i % 2, begin, begin + 1s, 1000);
    for (const std::uint32_t machine : {0u, 1u}) together.on_work(machine, begin, begin + 1s, 500);
  }
  EXPECT_DOUBLE_EQ(turns.result(kWindow.until)->load_balance.value(), 0.5);
  EXPECT_DOUBLE_EQ(together.result(kWindow.until)->load_balance.value(), 1);
}

// Work that lies in several intervals, begins before the window or ends behind it, counts where it
// lay; intervals without work say nothing, and neither does one that the window cuts off.
TEST(NodeLoads, WorkIsDividedAmongIntervals) {
  NodeLoads loads(kWindow, equal_machines(2, 1000), 4s);
  loads.on_work(0, Time{8s}, Time{12s}, 1000);   // 2 s of the first interval,
  loads.on_work(1, Time{12s}, Time{16s}, 1000);  // 2 s of it, too, and 2 s of the second.
  loads.on_work(0, Time{19s}, Time{25s}, 1000);  // The third lasts 2 s only.
  EXPECT_DOUBLE_EQ(loads.result(kWindow.until)->load_balance.value(), (1 + 0.5) / 2);
  NodeLoads idle(kWindow, equal_machines(2, 1000), 1s);
  idle.on_work(0, Time{15s}, Time{16s}, 1000);
  EXPECT_DOUBLE_EQ(idle.result(kWindow.until)->load_balance.value(), 0.5);
}

// A large machine with more work is as busy as a small one with less.
TEST(NodeLoads, MachinesAreComparedByTheirSize) {
  const std::vector<Machine> machines = {{.total = {.cpu = 1000, .memory = 0, .custom = {}}},
      {.total = {.cpu = 4000, .memory = 0, .custom = {}}}};
  NodeLoads loads(kWindow, machines, 10s);
  loads.on_work(0, Time{10s}, Time{15s}, 1000);
  loads.on_work(1, Time{10s}, Time{15s}, 4000);
  EXPECT_DOUBLE_EQ(loads.result(kWindow.until)->load_balance.value(), 1);
}

TEST(NodeLoads, MemoryIsBounded) {
  const NodeLoads loads(kWindow, equal_machines(NodeLoads::kSharesMax / 5, 1000), 1s);
  EXPECT_EQ(loads.interval(), 2s);
  EXPECT_EQ(NodeLoads(kWindow, equal_machines(2, 1000), 1s).interval(), 1s);
}

// 1 would say that nothing was divided evenly.
TEST(NodeLoads, OfNothingNoBalanceIsKnown) {
  const NodeLoads loads(kWindow, equal_machines(2, 1000), 1s);
  const auto result = loads.result(kWindow.until);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->mean_per_s, 0) << "they served nothing, which is known";
  EXPECT_FALSE(result->balance);
  EXPECT_FALSE(result->load_balance);
  EXPECT_FALSE(loads.result(kWindow.from)) << "no time has passed";
}

}  // namespace
}  // namespace dunlin::sim
