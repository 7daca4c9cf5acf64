// SPDX-License-Identifier: MIT
#include "sched/packing/sums.h"

#include <gtest/gtest.h>
#include <string>

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Resources;
using sched::ResourceSums;

TEST(PackingSums, AddAndTakeAway) {
  ResourceSums sums;
  const Resources demand{
      .cpu = 1000, .memory = 3, .custom = {{"gpu", 2}}, .disk_read = 4, .net_out = 5};
  sched::packing::add_work(sums, demand, 10, 2s);
  EXPECT_EQ(sums.cpu, 10u * 1000 * 2000);
  EXPECT_EQ(sums.disk_read, 10u * 4 * 2000);
  EXPECT_EQ(sums.net_out, 10u * 5 * 2000);
  EXPECT_EQ(sums.custom.at(0), (sched::AmountSum{"gpu", 40'000}));
  sched::packing::add_work(sums, demand, -9, 2s);
  EXPECT_EQ(sums.memory, 3u * 2000);
  sched::packing::add_work(sums, demand, -9, 2s);
  EXPECT_EQ(sums.memory, 0u) << "never below nothing";
}

TEST(PackingSums, AreBounded) {
  ResourceSums sums;
  sched::packing::add(sums, {.cpu = 1, .memory = 0, .custom = {}}, 1e30);
  sched::packing::add(sums, {.cpu = 1, .memory = 0, .custom = {}}, 1e30);
  EXPECT_GE(sums.cpu, std::uint64_t{1} << 63);
  for (int i = 0; i < 12; ++i) {
    sched::packing::add(sums, {.cpu = 0, .memory = 0, .custom = {{"r" + std::to_string(i), 1}}}, 1);
  }
  EXPECT_EQ(sums.custom.size(), ResourceSums::kCustomMax);
}

}  // namespace
}  // namespace dunlin::test
