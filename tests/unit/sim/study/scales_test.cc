// SPDX-License-Identifier: MIT
#include "sim/study/scales.h"

#include <gmock/gmock.h>

#include "sim/study/key.h"

namespace dunlin::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Scales, DurationsAreSeconds) {
  EXPECT_EQ(number_of("250ms"), 0.25);
  EXPECT_EQ(number_of("1.5"), 1.5);
  EXPECT_FALSE(number_of("bank"));
  EXPECT_EQ(value_of("cell.sharing=bank"), "bank");
}

TEST(Scales, AnAxisIsLogarithmicWhereItsValuesAreSpacedByFactors) {
  EXPECT_TRUE(spaced_by_factors({1, 2, 4, 8}));
  EXPECT_TRUE(spaced_by_factors({100, 1000, 10, 1}));
  EXPECT_TRUE(spaced_by_factors({1, 2, 5, 10, 20, 50}));
  EXPECT_TRUE(spaced_by_factors({10, 1000}));
  EXPECT_FALSE(spaced_by_factors({1, 2, 3, 4, 6, 8}));
  EXPECT_FALSE(spaced_by_factors({100, 200, 300, 400, 500, 4000 - 3400}));
  EXPECT_FALSE(spaced_by_factors({1, 11, 21, 31, 41}));
  EXPECT_FALSE(spaced_by_factors({0.5, 0.8, 0.9, 0.95}));
  EXPECT_FALSE(spaced_by_factors({0, 1, 10, 100})) << "0 has no logarithm";
  EXPECT_FALSE(spaced_by_factors({5, 10}));
  EXPECT_FALSE(spaced_by_factors({5}));
}

Summary rows_of(const std::vector<Estimate>& estimates) {
  Summary summary;
  for (const Estimate& estimate : estimates) {
    summary.rows.emplace_back().estimates.assign(figures().size(), estimate);
  }
  return summary;
}

TEST(VerticalRange, HoldsMeansAndTheirBars) {
  const auto range = vertical_range(rows_of({{10, 1, 3}, {20, 4, 3}}), 0, {});
  EXPECT_EQ(range.commands, "set yrange [0:25.2]\n");
  EXPECT_FALSE(range.cuts);
}

// Bars of 40 around 27 must not be all that is seen.
TEST(VerticalRange, CutsBarsThatWouldFillTheFrame) {
  const auto range = vertical_range(rows_of({{25, 400, 3}, {30, 1, 3}}), 0, {});
  EXPECT_EQ(range.commands, "set yrange [0:50.4]\n");
  EXPECT_TRUE(range.cuts);
  EXPECT_EQ(note_on_cuts(range), "; bars cut");
}

TEST(VerticalRange, GoesBelowZeroOnlyIfAMeanDoes) {
  EXPECT_THAT(vertical_range(rows_of({{1, 5, 3}, {2, 0, 3}}), 0, {}).commands, HasSubstr("[0:"));
  EXPECT_EQ(vertical_range(rows_of({{-10, 2, 3}, {10, 0, 3}}), 0, {}).commands,
      "set yrange [-13.1:11.1]\n");
}

TEST(VerticalRange, IsLogarithmicOverOrdersOfMagnitude) {
  const auto range = vertical_range(rows_of({{1, 0, 3}, {0, 0, 3}, {100, 0, 3}}), 0, {});
  EXPECT_THAT(range.commands, HasSubstr("set logscale y\nset yrange [0.5:130]\n"));
  EXPECT_THAT(range.commands, HasSubstr("'0' 0.5")) << "what is 0 lies on the axis";
}

TEST(Scales, ValuesStandInTheirOrder) {
  EXPECT_THAT(in_order({"a", {"10", "9", "1.5"}}), ElementsAre("1.5", "9", "10"));
  EXPECT_THAT(in_order({"a", {"2s", "300ms"}}), ElementsAre("300ms", "2s"));
  EXPECT_THAT(in_order({"a", {"z", "b"}}), ElementsAre("z", "b"));
}

TEST(Key, HasAsManyColumnsAsItsNamesAllow) {
  EXPECT_EQ(key_of(10, 5, "'n'").rows, 4u);
  EXPECT_EQ(key_of(10, 30, "''").rows, 5u);
  EXPECT_EQ(key_of(3, 200, "''").rows, 3u);
  EXPECT_EQ(key_of(1, 0, "''").command, "set key off\n");
}

}  // namespace
}  // namespace dunlin::sim
