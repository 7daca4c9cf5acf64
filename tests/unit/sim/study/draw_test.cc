// SPDX-License-Identifier: MIT
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/report/gnuplot.h"
#include "sim/study/summary.h"

// The pictures that gnuplot really draws.
namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;

class DrawTest : public ::testing::Test {
 protected:
  DrawTest() {
    folder = std::filesystem::temp_directory_path() / ("dunlin-draw-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    study.title = "a study";
  }
  ~DrawTest() override { std::filesystem::remove_all(folder); }

  /// A row for each combination of the plan, and two runs of each, with the same figures.
  void fill() {
    double value = 1;
    for (const Settings& settings : planned_combinations(study.plan)) {
      SummaryRow& row = summary.rows.emplace_back();
      row.settings = settings;
      row.compared_with = summary.rows.size() - 1;
      row.estimates.resize(figures().size(), {.mean = value, .half_width = 0.1, .count = 2});
      for (const std::uint64_t run : {1u, 2u}) {
        summary.replications.push_back({.row = summary.rows.size() - 1,
            .seed = 1,
            .run = run,
            .figures = std::vector<Reading>(figures().size(), Reading::of(value))});
      }
      value += 0.5;
    }
  }
  /// The SVG of `name`, or nothing.
  std::string svg(const std::string& name) const {
    std::ifstream in(folder / (name + ".svg"));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  Result<void> draw_it() {
    return draw_summary(study, summary, std::string(figures()[0].name), (folder / "p").string());
  }

  std::filesystem::path folder;
  Study study;
  Summary summary;
};

#define DRAW_OR_SKIP()                                                    \
  const auto drawn = draw_it();                                           \
  if (!drawn && drawn.error().kind == ErrorKind::not_found) GTEST_SKIP(); \
  ASSERT_TRUE(drawn) << drawn.error().text

TEST_F(DrawTest, WritesThreeKindsWithTheirDataAndScript) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}};
  fill();
  DRAW_OR_SKIP();
  for (const char* const kind : {"p.svg", "p.png", "p.pdf", "p.gp", "p.dat"}) {
    EXPECT_GT(std::filesystem::file_size(folder / kind), 0u) << kind;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "p-paired.gp")) << "nothing to compare";
  // The script alone draws them again, wherever the folder is.
  std::filesystem::rename(folder / "p.svg", folder / "old.svg");
  ASSERT_EQ(std::system(("cd " + folder.string() + " && gnuplot p.gp").c_str()), 0);  // NOLINT
  EXPECT_EQ(svg("p"), svg("old"));
}

TEST_F(DrawTest, EachParameterOfAStarHasAPanel) {
  study.plan.design = Design::star;
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"hops", {"5", "0", "8"}}, {"period", {"1s", "4s"}}};
  fill();
  ASSERT_EQ(summary.rows.size(), 8u);
  DRAW_OR_SKIP();
  for (const char* const text : {"a study", ">hops<", ">period<", ">load<", ">0.9<", ">4s<"}) {
    EXPECT_THAT(svg("p"), HasSubstr(text));
  }
}

TEST_F(DrawTest, MoreLinesThanLooksOfTwoAxesAreAMap) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"hops", {}}};
  for (int hops = 0; hops < 11; ++hops) study.plan.axes[1].values.push_back(std::to_string(hops));
  fill();
  DRAW_OR_SKIP();
  EXPECT_THAT(svg("p"), HasSubstr("1.50 ± 0.10")) << "fields say their values";
  EXPECT_THAT(svg("p"), HasSubstr(">hops<"));
}

TEST_F(DrawTest, PanelsHaveAValueOfTheLastAxisEach) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"hops", {"5", "0"}}, {"period", {"1s", "4s"}}};
  study.plan.picture = PictureKind::facets;
  fill();
  DRAW_OR_SKIP();
  for (const char* const text : {">period = 1s<", ">period = 4s<", ">hops<", ">5<"}) {
    EXPECT_THAT(svg("p"), HasSubstr(text));
  }
}

TEST_F(DrawTest, WhatSharesSeedsIsComparedRunByRun) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"hops", {"5", "0"}}};
  fill();
  summary.rows[1].compared_with = 0;
  summary.rows[3].compared_with = 2;
  DRAW_OR_SKIP();
  EXPECT_THAT(svg("p-paired"), HasSubstr("from hops=5"));
  EXPECT_THAT(svg("p-paired"), HasSubstr("paired by seed"));
}

}  // namespace
}  // namespace dunlin::sim
