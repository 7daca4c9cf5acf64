// SPDX-License-Identifier: MIT
#include "sim/study/until.h"

#include <gmock/gmock.h>

namespace dunlin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A row for each estimate, with as many runs as it counts.
Summary rows_with_runs(const std::vector<Estimate>& estimates) {
  Summary summary;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    summary.rows.emplace_back().estimates.assign(figures().size(), estimates[i]);
    for (std::uint64_t run = 1; run <= std::max<std::size_t>(estimates[i].count, 3); ++run) {
      summary.replications.push_back({.row = i, .seed = 1, .run = run, .figures = {}});
    }
  }
  return summary;
}

TEST(Until, NarrowIsAPartOfTheMean) {
  EXPECT_TRUE(is_narrow({.mean = 100, .half_width = 5, .count = 3}, 0.05));
  EXPECT_FALSE(is_narrow({.mean = 100, .half_width = 5.1, .count = 3}, 0.05));
  EXPECT_TRUE(is_narrow({.mean = -100, .half_width = 5, .count = 3}, 0.05));
  EXPECT_FALSE(is_narrow({.mean = 100, .half_width = 0, .count = 1}, 0.05))
      << "that is no interval";
}

TEST(Until, AsksForWhatTheSpreadSuggestsButNoMoreThanTwice) {
  const Summary summary = rows_with_runs({{100, 4, 8},  // Done.
      {100, 6, 10},                                     // (6 / 5)^2 = 1.44 times as many.
      {100, 50, 10},                                    // 100 times as many: twice, to begin with.
      {100, 5.01, 10},                                  // One more at least.
      {0, 1, 5},                                        // Never: as far as the bound.
      {0, 0, 0}});                                      // Not measured: no run would change that.
  EXPECT_THAT(wanted_runs(summary, 0, 0.05, 100), ElementsAre(8, 15, 20, 11, 10, 3));
  EXPECT_THAT(wanted_runs(summary, 0, 0.05, 12), ElementsAre(8, 12, 12, 11, 10, 3));
  EXPECT_THAT(wanted_runs(summary, 0, 0.05, 9), ElementsAre(8, 10, 10, 10, 9, 3));
}

TEST(Until, SaysWhatItGaveUp) {
  const Summary summary = rows_with_runs({{100, 4, 8}, {100, 6, 10}});
  EXPECT_EQ(wide_rows(summary, 0, 0.1, 10), "");
  EXPECT_THAT(wide_rows(summary, 0, 0.05, 10),
      HasSubstr("1 of 2 combinations are not within 5 % after 10 runs"));
}

// No number of runs makes a mean of what some of them did not see.
TEST(Until, SaysNothingOfWhatNeverCame) {
  const Summary summary = rows_with_runs({{.runs = 6, .censored = 3}, {100, 4, 8}});
  EXPECT_THAT(wanted_runs(summary, 0, 0.05, 100), ElementsAre(3, 8));
  EXPECT_THAT(wide_rows(summary, 0, 0.05, 100), HasSubstr("1 of 2 combinations have no mean"));
}

}  // namespace
}  // namespace dunlin::sim
