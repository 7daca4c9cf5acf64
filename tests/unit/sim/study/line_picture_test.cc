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
  PictureText picture() const { return line_picture(study, summary, 0); }

  Study study;
  Summary summary;
};

TEST_F(LinePictureTest, JoinsNumbersByALineForEachCombinationOfTheOthers) {
  study.title = "it's load";
  study.plan.axes = {{"load", {"0.5", "0.9"}}, {"hops", {"5", "0"}}};
  add({"load=0.5", "hops=5"}, 10, 1);
  add({"load=0.5", "hops=0"}, 20, 2);
  add({"load=0.9", "hops=5"}, 30, 3);
  add({"load=0.9", "hops=0"}, 40, 4);
  const PictureText text = picture();
  EXPECT_THAT(text.script,
      StartsWith("$line0 << END\n0.5 10 1\n0.9 30 3\nEND\n"
                 "$line1 << END\n0.5 20 2\n0.9 40 4\nEND\n"));
  EXPECT_THAT(text.script, HasSubstr("set title 'it''s load' noenhanced\nset xlabel 'load' "));
  EXPECT_THAT(text.script, HasSubstr("set xtics ('0.5' 0.5, '0.9' 0.9)\n"));
  EXPECT_EQ(text.plot,
      "plot $line0 using ($1 + -0.000000):2:3 with yerrorlines lw 4 title 'hops=5' noenhanced, "
      "$line1 using ($1 + 0.000000):2:3 with yerrorlines lw 2 title 'hops=0' noenhanced");
}

TEST_F(LinePictureTest, PutsPointsOfOneWordSideBySide) {
  study.plan.axes = {{"policy", {"edf", "fair"}}, {"hops", {"5", "0"}}};
  add({"policy=fair", "hops=5"}, 10, 1);
  add({"policy=fair", "hops=0"}, 20, 2);
  const PictureText text = picture();
  EXPECT_THAT(text.script, StartsWith("$line0 << END\n1 10 1\nEND\n$line1 << END\n1 20 2\nEND\n"));
  EXPECT_THAT(text.script, HasSubstr("set xtics ('edf' 0, 'fair' 1)\n"));
  EXPECT_THAT(text.plot, HasSubstr("$line0 using ($1 + -0.060000):2:3 with yerrorbars"));
  EXPECT_THAT(text.plot, HasSubstr("$line1 using ($1 + 0.060000):2:3 with yerrorbars"));
}

TEST_F(LinePictureTest, LeavesOutWhatNoReplicationMeasured) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}};
  add({"load=0.5"}, 10, 1);
  add({"load=0.9"}, 0, 0, 0);
  EXPECT_THAT(picture().script, StartsWith("$line0 << END\n0.5 10 1\nEND\n"));
}

TEST_F(LinePictureTest, NamesTheUnitOfDurationsAndTheFigureOfALoneLine) {
  study.plan.axes = {{"period", {"500ms", "2s"}}};
  add({"period=500ms"}, 10, 1);
  const PictureText text = picture();
  EXPECT_THAT(text.script, StartsWith("$line0 << END\n0.5 10 1\n"));
  EXPECT_THAT(text.script, HasSubstr("set xlabel 'period, s' "));
  const Figure figure = figures().front();
  EXPECT_THAT(text.plot,
      HasSubstr("title '" + std::string(figure.meaning.empty() ? figure.name : figure.meaning)));
}

TEST_F(LinePictureTest, SpreadsNumbersOfManyOrders) {
  study.plan.axes = {{"peers", {"10", "1000"}}};
  add({"peers=10"}, 1, 0);
  EXPECT_THAT(picture().script, HasSubstr("set logscale x\n"));
  study.plan.axes = {{"peers", {"0", "1000"}}};
  EXPECT_THAT(picture().script, Not(HasSubstr("set logscale x\n"))) << "0 has no logarithm";
}

TEST_F(LinePictureTest, LeavesTicksOfManyNumbersToGnuplot) {
  study.plan.axes = {{"n", {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"}}};
  add({"n=1"}, 1, 0);
  EXPECT_THAT(picture().script, Not(HasSubstr("set xtics")));
}

TEST_F(LinePictureTest, DrawsOnlyReferencesOfItsFigure) {
  study.plan.axes = {{"load", {"0.5", "0.9"}}};
  study.plan.references = {
      {.measure = std::string(figures().front().name), .x = 0.5, .y = 7, .label = "paper"},
      {.measure = "another", .x = 0.5, .y = 8, .label = "elsewhere"}};
  add({"load=0.5"}, 10, 1);
  const PictureText text = picture();
  EXPECT_THAT(text.script, HasSubstr("$reference0 << END\n0.5 7\nEND\n"));
  EXPECT_THAT(text.plot, HasSubstr("title 'paper'"));
  EXPECT_THAT(text.plot, Not(HasSubstr("elsewhere")));
}

}  // namespace
}  // namespace dunlin::sim
