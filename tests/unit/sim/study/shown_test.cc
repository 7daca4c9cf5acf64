// SPDX-License-Identifier: MIT
#include "sim/study/shown.h"

#include <gmock/gmock.h>

#include "sim/study/statistics.h"

namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;

/// Two rows of one load, whose runs have these values of all figures.
Summary summary_of(const std::vector<double>& first, const std::vector<double>& other) {
  Summary summary;
  std::size_t row = 0;
  for (const auto* values : {&first, &other}) {
    SummaryRow& added = summary.rows.emplace_back();
    added.settings = {"load=0.5", row == 0 ? "hops=5" : "hops=0"};
    added.estimates.assign(figures().size(), estimate_of(*values));
    for (std::size_t i = 0; i < values->size(); ++i) {
      summary.replications.push_back({.row = row,
          .seed = 1,
          .run = i + 1,
          .figures = std::vector<Reading>(figures().size(), Reading::of((*values)[i]))});
    }
    ++row;
  }
  return summary;
}

const StudyPlan kPlan{.axes = {{"load", {"0.5"}}, {"hops", {"5", "0"}}}};

// Seeds make 10, 50 and 90; the setting always takes 2 off. Unpaired, that could not be told.
TEST(Paired, WhatSeedsHaveInCommonCancelsOut) {
  const Summary summary = summary_of({10, 50, 90}, {8, 48, 88});
  EXPECT_GT(summary.rows[1].estimates[0].half_width, 90);
  const auto paired = paired_of(kPlan, summary, 0);
  ASSERT_TRUE(paired);
  const Estimate& difference = paired->summary.rows[1].estimates[0];
  EXPECT_DOUBLE_EQ(difference.mean, -2);
  EXPECT_DOUBLE_EQ(difference.half_width, 0);
  EXPECT_EQ(difference.count, 3u);
  EXPECT_EQ(paired->summary.rows[0].estimates[0].count, 0u) << "nothing to compare it with";
  EXPECT_EQ(paired->shown.level, 0);
  EXPECT_THAT(paired->shown.meaning, HasSubstr(": difference from hops=5"));
  EXPECT_THAT(paired->shown.note, HasSubstr("paired by seed; means of 3 runs"));
}

TEST(Paired, OverOrdersOfMagnitudeItIsAMultiple) {
  const auto paired = paired_of(kPlan, summary_of({1, 2}, {100, 200}), 0);
  ASSERT_TRUE(paired);
  EXPECT_DOUBLE_EQ(paired->summary.rows[1].estimates[0].mean, 100);
  EXPECT_EQ(paired->shown.level, 1);
  EXPECT_THAT(paired->shown.meaning, HasSubstr(": multiple of hops=5"));
}

TEST(Paired, OnlyRunsOfOneNumberBelongTogether) {
  Summary summary = summary_of({10, 50, 90}, {8, 48});
  EXPECT_EQ(paired_difference(summary, 1, 0, 0).count, 2u);
  summary.replications.back().run = 7;
  EXPECT_EQ(paired_difference(summary, 1, 0, 0).count, 1u);
  EXPECT_FALSE(paired_of(kPlan, summary, 0)) << "one pair has no interval";
}

TEST(Paired, NothingIsAMultipleOfZero) {
  EXPECT_EQ(paired_multiple(summary_of({0, 1}, {1, 1}), 1, 0, 0).count, 0u);
}

TEST(Paired, TheCentreOfAStarIsItsLevel) {
  StudyPlan plan = kPlan;
  plan.design = Design::star;
  const auto paired = paired_of(plan, summary_of({10, 20}, {11, 21}), 0);
  ASSERT_TRUE(paired);
  EXPECT_EQ(paired->summary.rows[0].estimates[0].count, 2u);
  EXPECT_EQ(paired->summary.rows[0].estimates[0].mean, 0);
}

}  // namespace
}  // namespace dunlin::sim
