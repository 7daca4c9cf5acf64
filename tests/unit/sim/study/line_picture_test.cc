// SPDX-License-Identifier: MIT
#include "sim/study/line_picture.h"

#include <gmock/gmock.h>

namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A study, and a row for each combination. All figures of a row have the same estimate.
class LinePictureTest : public ::testing::Test {
 protected:
  void add(Settings settings, double mean, double half_width, std::size_t count = 3) {
    SummaryRow row{.settings = std::move(settings), .estimates = {}, .vs_first = {}};
    row.estimates.assign(figures().size(), {mean, half_width, count});
    summary.rows.push_back(std::move(row));
  }
  Picture picture() const { return line_picture(study, summary, shown_figure(summary, 0)); }

  Study study;
  Summary summary;
};

TEST_F(LinePictureTest, JoinsNumbersByALineForEachCombinationOfTheOthers) {
  study.title = "it's load";
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"frontend.hops_max", {"5", "0"}}};
  add({"load=0.5", "frontend.hops_max=5"}, 10, 1);
  add({"load=0.5", "frontend.hops_max=0"}, 20, 2);
  add({"load=0.9", "frontend.hops_max=5"}, 30, 3);
  add({"load=0.9", "frontend.hops_max=0"}, 40, 4);
  const Picture drawn = picture();
  EXPECT_THAT(drawn.data.text(), HasSubstr("# line0\n0.5 10 1\n0.9 30 3\n\n\n"));
  EXPECT_THAT(drawn.data.text(), HasSubstr("# line1\n0.5 20 2\n0.9 40 4\n\n\n"));
  EXPECT_THAT(drawn.frame, HasSubstr("set xlabel 'load' "));
  EXPECT_THAT(drawn.frame, HasSubstr("set xtics ('0.5' 0.5, '0.9' 0.9)\n"));
  EXPECT_THAT(drawn.plot, StartsWith("plot data index 'line0' using "));
  EXPECT_THAT(drawn.plot, HasSubstr(":2:3 with yerrorbars lt 1 lw 1 ps 0 dt solid notitle"));
  EXPECT_THAT(drawn.plot, HasSubstr(":2 with linespoints lt 1 lw 2 title '5' noenhanced"));
  EXPECT_THAT(drawn.plot, HasSubstr(":2 with linespoints lt 2 lw 2 title '0' noenhanced"));
}

// What all names have in common is said once, so that the key stays small.
TEST_F(LinePictureTest, TheKeySaysOnceWhatItsNamesAreOf) {
  study.plan.axes = {{"load", {"0.5"}}, {"frontend.hops_max", {"5", "0"}}, {"cell.sharing", {"a"}}};
  add({"load=0.5", "frontend.hops_max=5", "cell.sharing=a"}, 10, 1);
  add({"load=0.5", "frontend.hops_max=0", "cell.sharing=a"}, 20, 2);
  EXPECT_THAT(picture().frame, HasSubstr("title \"\\n\".'hops_max' noenhanced"));
}

TEST_F(LinePictureTest, SaysHowManyRunsAndHowSure) {
  study.title = "it's load";
  study.plan.axes = {{"load", {"0.5", "0.9"}}};
  add({"load=0.5"}, 10, 1, 5);
  add({"load=0.9"}, 20, 1, 5);
  EXPECT_THAT(picture().frame,
      HasSubstr("set title 'it''s load'.\"\\n\".'means of 5 runs; bars: 95 % confidence "
                "(Student''s t)' noenhanced"));
  summary.rows[1].estimates[0].count = 9;
  EXPECT_THAT(picture().frame, HasSubstr("means of 5 to 9 runs"));
  for (SummaryRow& row : summary.rows) row.estimates[0] = {.mean = 1, .half_width = 0, .count = 1};
  EXPECT_THAT(picture().frame, HasSubstr("'single runs'"));
  EXPECT_THAT(picture().plot, Not(HasSubstr("yerrorbars")));
}

TEST_F(LinePictureTest, PutsPointsOfOneWordSideBySide) {
  study.plan.axes = {{"policy", {"edf", "fair"}}, {"hops", {"5", "0"}}};
  add({"policy=fair", "hops=5"}, 10, 1);
  add({"policy=fair", "hops=0"}, 20, 2);
  const Picture drawn = picture();
  EXPECT_THAT(drawn.data.text(), HasSubstr("# line0\n1 10 1\n"));
  EXPECT_THAT(drawn.data.text(), HasSubstr("# line1\n1 20 2\n"));
  EXPECT_THAT(drawn.frame, HasSubstr("set xtics ('edf' 0, 'fair' 1)\n"));
  EXPECT_THAT(drawn.plot, HasSubstr("using ($1 + -0.06):2 with points"));
  EXPECT_THAT(drawn.plot, HasSubstr("using ($1 + 0.06):2 with points"));
}

// Thirteen options lay on each other.
TEST_F(LinePictureTest, LongWordsAreAskew) {
  study.plan.axes = {{"option", {"bank", "largest-first", "no-compensation"}}};
  for (const char* const option : {"bank", "largest-first", "no-compensation"}) {
    add({std::string("option=") + option}, 10, 1);
  }
  EXPECT_THAT(picture().frame, HasSubstr("set xtics ('bank' 0"));
  for (const char* const option : {"no-transfer", "keep-half", "previous"}) {
    study.plan.axes[0].values.emplace_back(option);
  }
  EXPECT_THAT(picture().frame, HasSubstr("set xtics rotate by 30 right ('bank' 0"));
}

TEST_F(LinePictureTest, LeavesOutWhatNoReplicationMeasured) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}};
  add({"load=0.5"}, 10, 1);
  add({"load=0.9"}, 0, 0, 0);
  EXPECT_THAT(picture().data.text(), HasSubstr("# line0\n0.5 10 1\n\n\n"));
}

TEST_F(LinePictureTest, NamesTheUnitOfDurationsAndNoLoneLine) {
  study.plan.axes = {{"period", {"500ms", "2s"}}};
  add({"period=500ms"}, 10, 1);
  const Picture drawn = picture();
  EXPECT_THAT(drawn.data.text(), HasSubstr("# line0\n0.5 10 1\n"));
  EXPECT_THAT(drawn.frame, HasSubstr("set xlabel 'period, s' "));
  EXPECT_THAT(drawn.frame, HasSubstr("set key off"));
  const Figure figure = figures().front();
  EXPECT_THAT(drawn.frame, HasSubstr("set ylabel '" + std::string(figure.meaning)));
}

TEST_F(LinePictureTest, SpreadsNumbersThatAreSpacedByFactors) {
  study.plan.axes = {{"peers", {"10", "1000"}}};
  add({"peers=10"}, 1, 0);
  EXPECT_THAT(picture().frame, HasSubstr("set logscale x\n"));
  study.plan.axes = {{"peers", {"0", "1000"}}};
  EXPECT_THAT(picture().frame, Not(HasSubstr("set logscale x\n"))) << "0 has no logarithm";
}

TEST_F(LinePictureTest, LeavesTicksOfManyNumbersToGnuplot) {
  study.plan.axes = {{"n", {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}}};
  add({"n=1"}, 1, 0);
  EXPECT_THAT(picture().frame, Not(HasSubstr("set xtics")));
}

TEST_F(LinePictureTest, DrawsOnlyReferencesOfItsFigure) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}};
  study.plan.references = {
      {.measure = std::string(figures().front().name), .x = 0.5, .y = 70, .label = "paper"},
      {.measure = "another", .x = 0.5, .y = 8, .label = "elsewhere"}};
  add({"load=0.5"}, 10, 1);
  const Picture drawn = picture();
  EXPECT_THAT(drawn.data.text(), HasSubstr("# reference0\n0.5 70\n"));
  EXPECT_THAT(drawn.plot, HasSubstr("title 'paper'"));
  EXPECT_THAT(drawn.plot, Not(HasSubstr("elsewhere")));
  EXPECT_THAT(drawn.frame, HasSubstr("set yrange [0:73.5]")) << "it can be seen";
}

// Ten lines, ten looks, and a frame that is as high as ever.
TEST_F(LinePictureTest, AKeyOfManyLinesMakesThePictureHigher) {
  study.plan.axes = {{"load", {"0.5"}}, {"n", {}}};
  for (int n = 0; n < 10; ++n) {
    study.plan.axes[1].values.push_back(std::to_string(n));
    add({"load=0.5", "n=" + std::to_string(n)}, 10 + n, 1);
  }
  const Picture drawn = picture();
  EXPECT_EQ(drawn.key_rows, 4u) << "two of lines, two of its title";
  for (int look = 1; look <= 10; ++look) {
    EXPECT_THAT(drawn.plot, HasSubstr("linespoints lt " + std::to_string(look) + " lw"));
  }
}

}  // namespace
}  // namespace dunlin::sim
