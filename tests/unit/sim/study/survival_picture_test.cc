// SPDX-License-Identifier: MIT
#include "sim/study/survival_picture.h"

#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

// Kaplan and Meier's own way: a run that ended counts among the watched until then.
TEST(Survival, ARunThatEndedCountsUntilItsEnd) {
  const auto steps = survival_of(
      {Reading::of(4), Reading::censored(5), Reading::of(8), Reading(), Reading::censored(10)});
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_DOUBLE_EQ(steps[1].left, 0.75);
  EXPECT_EQ(steps[2].at, 5);
  EXPECT_DOUBLE_EQ(steps[2].left, 0.75);
  EXPECT_DOUBLE_EQ(steps[3].left, 0.75 / 2) << "two were watched still";
  EXPECT_EQ(steps[4].at, 10);
  EXPECT_DOUBLE_EQ(steps[4].left, 0.75 / 2) << "it ends above 0";
}

TEST(Survival, WhatCameAtTheLastMomentCame) {
  const auto steps = survival_of({Reading::censored(3), Reading::of(3)});
  EXPECT_DOUBLE_EQ(steps.back().left, 0.5);
}

}  // namespace
}  // namespace dunlin::sim
