// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/study/scales.h"

namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;

TEST(DrawStar, EachParameterHasAPanel) {
  Study study;
  study.title = "a star";
  study.plan.design = Design::star;
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"hops", {"5", "0", "8"}}, {"period", {"1s", "4s"}}};
  Summary summary;
  for (const Settings& settings : planned_combinations(study.plan)) {
    SummaryRow& row = summary.rows.emplace_back();
    row.settings = settings;
    row.estimates.resize(figures().size(), {.mean = 2, .half_width = 0.5, .count = 3});
  }
  ASSERT_EQ(summary.rows.size(), 8u);
  const std::string base =
      (std::filesystem::temp_directory_path() / ("dunlin-star-" + std::to_string(getpid())))
          .string();
  const auto drawn = draw_star(study, summary, 0, base);
  if (!drawn && drawn.error().kind == ErrorKind::not_found) GTEST_SKIP() << drawn.error().text;
  ASSERT_TRUE(drawn) << drawn.error().text;
  std::ifstream in(base + ".svg");
  const std::string picture{std::istreambuf_iterator<char>(in), {}};
  for (const char* const text : {"a star", ">hops<", ">period<", ">load=0.9<", ">4s<"}) {
    EXPECT_THAT(picture, HasSubstr(text));
  }
  std::filesystem::remove(base + ".svg");
  std::filesystem::remove(base + ".png");
}

TEST(Scales, DurationsAreSeconds) {
  EXPECT_EQ(number_of("250ms"), 0.25);
  EXPECT_EQ(number_of("1.5"), 1.5);
  EXPECT_FALSE(number_of("bank"));
  EXPECT_EQ(value_of("cell.sharing=bank"), "bank");
}

}  // namespace
}  // namespace dunlin::sim
