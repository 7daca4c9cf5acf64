// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/sparkline.h"

#include <cmath>
#include <gmock/gmock.h>

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

TEST(Sparkline, TheHighestFillsItsColumn) {
  EXPECT_EQ(sparkline({0, 7, 14}, 10), "▁▅█");
  EXPECT_EQ(sparkline({0, 0}, 10), "▁▁") << "nothing is no fault";
  EXPECT_EQ(sparkline({}, 10), "");
  EXPECT_EQ(sparkline({1, std::nan(""), 1}, 10), "█ █");
}

// A failure of a moment must not vanish among steps without.
TEST(Sparkline, ManyValuesShareAColumnByTheHighest) {
  std::vector<double> values(600, 0);
  values[599] = 1;
  EXPECT_EQ(sparkline(values, 3), "▁▁█");
}

TEST(Sparkline, ThePastIsALineForEachFigure) {
  const Json past = {{"step_ns", 5'000'000'000},
      {"figures",
          {{{"name", "cpu_free_milli"}, {"kind", "mean"}, {"values", {4000, nullptr, 500}}},
              {{"name", "running"}, {"kind", "mean"}, {"values", {0, 1, 7}}},
              {{"name", "of a later build"}, {"kind", "mean"}, {"values", {1, 1, 1}}}}}};
  const std::string text = past_lines(past, 100);
  EXPECT_THAT(text, HasSubstr("  past     of the last 15 s\n"));
  EXPECT_THAT(text, HasSubstr("  free cpu █ ▂  0.5 to 4\n"));
  EXPECT_THAT(text, HasSubstr("  running  ▁▂█  0 to 7\n"));
  EXPECT_EQ(text.find("later"), std::string::npos);
}

TEST(Sparkline, AnAgentWithoutAPastHasNoLines) {
  EXPECT_EQ(past_lines(nullptr, 100), "");
  EXPECT_EQ(past_lines({{"figures", Json::array()}}, 100), "");
  EXPECT_EQ(past_lines({{"figures", 7}}, 100), "");
}

}  // namespace
}  // namespace dunlin::cli
