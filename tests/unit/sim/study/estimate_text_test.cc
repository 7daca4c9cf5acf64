// SPDX-License-Identifier: MIT
#include "sim/study/estimate_text.h"

#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

std::string text(double mean, double half_width = 0) {
  return text_of(Estimate{.mean = mean, .half_width = half_width, .count = 3});
}

TEST(EstimateText, BothPartsHaveTheSameDecimalsAndNoExponents) {
  EXPECT_EQ(text(10'030, 830), "10,030 ± 830");
  EXPECT_EQ(text(34'730, 2), "34,730 ± 2");
  EXPECT_EQ(text(1'234'567, 12'000), "1,234,567 ± 12,000");
  EXPECT_EQ(text(14.33, 0.88), "14.33 ± 0.88");
  EXPECT_EQ(text(28.86, 3.5), "28.9 ± 3.5");
  EXPECT_EQ(text(0.0152, 0.0031), "0.0152 ± 0.0031");
  EXPECT_EQ(text(0.8308, 0.00001), "0.8308 ± 0.0000");
  EXPECT_EQ(text(-2.5, 0.4), "-2.50 ± 0.40");
  EXPECT_EQ(text(0, 0.025), "0.000 ± 0.025");
}

TEST(EstimateText, WithoutAnInterval) {
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(0.9059), "0.9059");
  EXPECT_EQ(text(13'990), "13,990");
  EXPECT_EQ(text(6.406), "6.406");
  EXPECT_EQ(text_of(Estimate{}), "-");
}

TEST(EstimateText, SaysOfHowManyRunsItIs) {
  EXPECT_EQ(text_of(Estimate{.mean = 6046, .count = 2, .runs = 8}), "6,046 (2 of 8)");
  EXPECT_EQ(text_of(Estimate{.runs = 6, .censored = 3, .median = 4}), "3 of 6; median 4.000");
  EXPECT_EQ(text_of(Estimate{.runs = 6, .censored = 6}), "0 of 6");
}

}  // namespace
}  // namespace dunlin::sim
