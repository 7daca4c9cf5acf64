// SPDX-License-Identifier: MIT
#include "node/warden/cgroup/group_weight.h"

#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

TEST(GroupWeight, IsRaisedAtOnce) {
  GroupWeight weight;
  EXPECT_EQ(weight.take(0, 1000), std::nullopt) << "The default is worth one CPU.";
  EXPECT_EQ(weight.take(1, 500), 1500u);
  EXPECT_EQ(weight.take(7, 64000), 65500u);
}

TEST(GroupWeight, IsLoweredWhenLessThanHalfIsInUse) {
  GroupWeight weight;
  for (std::uint32_t slot = 0; slot < 8; ++slot) weight.take(slot, 1000);
  for (std::uint32_t slot = 0; slot < 4; ++slot) EXPECT_EQ(weight.release(slot), std::nullopt);
  EXPECT_EQ(weight.release(4), 3000u);
}

TEST(GroupWeight, IsNotWrittenWhileTasksFollowOneAnother) {
  GroupWeight weight;
  weight.take(0, 1000);
  weight.take(1, 1000);
  for (int task = 0; task < 100; ++task) {
    EXPECT_EQ(weight.release(1), std::nullopt);
    EXPECT_EQ(weight.take(1, 1000), std::nullopt);
  }
}

TEST(GroupWeight, IsNeverLessThanOneProcess) {
  GroupWeight weight;
  EXPECT_EQ(weight.take(0, 4000), 4000u);
  EXPECT_EQ(weight.release(0), 1000u);
  EXPECT_EQ(weight.release(0), std::nullopt) << "A slot is released once.";
  EXPECT_EQ(weight.take(0, 0), std::nullopt);
}

TEST(GroupWeight, CountsASlotOnce) {
  GroupWeight weight;
  EXPECT_EQ(weight.take(0, 3000), 3000u);
  EXPECT_EQ(weight.take(0, 4000), 4000u)
      << "A task that did not start leaves its slot to the next.";
}

}  // namespace
}  // namespace dunlin::node
