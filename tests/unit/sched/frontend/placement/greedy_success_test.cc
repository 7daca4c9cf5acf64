// SPDX-License-Identifier: MIT
#include "sched/frontend/placement/greedy_success.h"

#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

// Design, section 5: the share of greedy hops follows their measured success, per demand class.
TEST(GreedySuccess, FollowsMeasuredSuccessPerClass) {
  GreedySuccess success;
  EXPECT_DOUBLE_EQ(success.share(DemandClass::small, 0.05, 0.8), 0.5);
  for (int i = 0; i < 100; ++i) {
    success.learn(DemandClass::small, {.greedy_hops = 1, .greedy_hits = 0});
    success.learn(DemandClass::large, {.greedy_hops = 1, .greedy_hits = 1});
  }
  EXPECT_DOUBLE_EQ(success.share(DemandClass::small, 0.05, 0.8), 0.05);
  EXPECT_DOUBLE_EQ(success.share(DemandClass::large, 0.05, 0.8), 0.8);
  for (int i = 0; i < 200; ++i) {
    success.learn(DemandClass::small, {.greedy_hops = 1, .greedy_hits = 1});
  }
  EXPECT_GT(success.share(DemandClass::small, 0.05, 1.0), 0.9) << "old failures fade";
}

}  // namespace
}  // namespace dunlin::sched
