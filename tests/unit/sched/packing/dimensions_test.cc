// SPDX-License-Identifier: MIT
#include "sched/packing/dimensions.h"

#include <gtest/gtest.h>
#include <vector>

namespace dunlin::test {
namespace {

using sched::Resources;
using sched::packing::Dimensions;
using sched::packing::largest_of;
using sched::packing::Shares;
using sched::packing::sum_of;

std::vector<double> list(const Shares& shares) {
  return {shares.begin(), shares.end()};
}

Resources node() {
  Resources total{.cpu = 8000, .memory = 1000, .custom = {}, .disk_read = 100, .net_out = 50};
  sched::set_amount(total, "gpu", 4);
  return total;
}

TEST(Dimensions, MeasureByTheNode) {
  const Dimensions dimensions(node());
  ASSERT_EQ(dimensions.size(), 5u);
  Resources task{.cpu = 2000, .memory = 100, .custom = {}, .disk_read = 50, .net_out = 10};
  sched::set_amount(task, "gpu", 1);
  EXPECT_EQ(list(dimensions.shares(task)), (std::vector{0.25, 0.1, 0.5, 0.2, 0.25}));
  EXPECT_DOUBLE_EQ(sum_of(dimensions.shares(task)), 1.3);
  EXPECT_DOUBLE_EQ(largest_of(dimensions.shares(task)), 0.5);
}

// A rate that a node does not declare is unlimited there, and left out of every score.
TEST(Dimensions, LeaveOutWhatIsNotDeclared) {
  Resources task{.cpu = 2000, .memory = 0, .custom = {}, .disk_write = 1 << 30, .net_in = 7};
  sched::set_amount(task, "license", 3);
  const std::vector expected = {0.25, 0.0, 0.0, 0.0, 0.0};
  EXPECT_EQ(list(Dimensions(node()).shares(task)), expected);
  EXPECT_EQ(list(Dimensions(sched::all_of(node())).shares(task)), expected)
      << "however it is said that it does not";
}

TEST(Dimensions, SumsMayBeMoreThanTheNode) {
  sched::ResourceSums sums;
  sums.cpu = 80'000;
  sums.memory = std::uint64_t{1} << 40;
  sums.custom = {{"gpu", 6}, {"license", 5}};
  const auto shares = list(Dimensions(node()).shares(sums));
  EXPECT_EQ(shares[0], 10);
  EXPECT_EQ(shares[1], 1099511627.776);
  EXPECT_EQ(shares[4], 1.5);
}

TEST(Dimensions, ANodeWithNothingHasNone) {
  const Dimensions none{Resources{}};
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(largest_of(none.shares(node())), 0);
}

}  // namespace
}  // namespace dunlin::test
