// SPDX-License-Identifier: MIT
#include "config/text_table.h"

#include <gtest/gtest.h>

namespace dunlin::config {
namespace {

TEST(TextTable, AlignsColumns) {
  TextTable table({{"JOB", Align::right}, {"NAME"}, {"REASON"}});
  table.add({"7", "größe", "-"});
  table.add({"1234", "x", "no room"});
  EXPECT_EQ(table.text(),
      " JOB  NAME   REASON\n"
      "   7  größe  -\n"
      "1234  x      no room\n");
}

TEST(TextTable, NumbersStandOnTheRightIfNobodySaysWhere) {
  auto table = TextTable::by_content({"scheduler", "ms"});
  table.add({"x", "1,000 ± 20"});
  table.add({"sparrow", "5 ± 1"});
  table.add({"y", "-"});
  EXPECT_EQ(table.text(),
      "scheduler          ms\n"
      "x          1,000 ± 20\n"
      "sparrow         5 ± 1\n"
      "y                   -\n");
}

TEST(TextTable, NoLineEndsInBlanks) {
  TextTable table({{"A"}, {"B"}, {"C"}});
  table.add({"long", "", ""});
  EXPECT_EQ(table.text(), "A     B  C\nlong\n");
}

TEST(TextTable, LastColumnGivesWayToTheWidth) {
  TextTable table({{"A"}, {"REASON"}});
  table.add({"a", "a very long reason that would wrap"});
  EXPECT_EQ(table.text(20),
      "A  REASON\n"
      "a  a very long reas…\n");
  EXPECT_NE(table.text(5).find("a very long…"), std::string::npos);
  EXPECT_NE(table.text().find("would wrap"), std::string::npos);
}

TEST(TextTable, ColumnsOfLeastImportanceAreLeftOutWhereLinesWouldWrap) {
  TextTable table({{"NODE"}, {"LIMITS", Align::left, 1}, {"SEEN", Align::right, 2}, {"ADDRESS"}});
  table.add({"kestrel", "cgroup", "12", "10.0.0.1:7700"});
  EXPECT_EQ(table.left_out(0), std::vector<std::string>{});
  EXPECT_EQ(table.left_out(40), std::vector<std::string>{});
  EXPECT_EQ(table.left_out(30), std::vector<std::string>{"LIMITS"});
  EXPECT_EQ(table.text(24),
      "NODE     ADDRESS\n"
      "kestrel  10.0.0.1:7700\n");
  EXPECT_EQ(table.left_out(24), (std::vector<std::string>{"LIMITS", "SEEN"}));
  EXPECT_EQ(table.left_out(3), (std::vector<std::string>{"LIMITS", "SEEN"}))
      << "some are always shown";
}

TEST(TextTable, PaintTakesNoColumns) {
  TextTable table({{"STATE"}, {"N", Align::right}});
  table.add({"up", "1"});
  const auto paint = [](std::size_t row, std::size_t column, const std::string& text) {
    return row == 1 && column == 0 ? "<" + text + ">" : text;
  };
  EXPECT_EQ(table.text(0, paint), "STATE  N\n<up>     1\n");
}

TEST(TextTable, StacksWhatIsTooWide) {
  auto table = TextTable::by_content({"load", "scheduler", "mean", "p99", "busy"});
  table.add({"0.5", "dunlin", "1", "10", "0.50"});
  table.add({"0.9", "sparrow", "12", "250", "0.90"});
  EXPECT_EQ(table.stacked(0, 2), table.text());
  EXPECT_EQ(table.stacked(32, 2), table.text()) << "it fits to the column";
  EXPECT_EQ(table.stacked(31, 2),
      "load  scheduler  mean  p99\n"
      " 0.5  dunlin        1   10\n"
      " 0.9  sparrow      12  250\n"
      "\n"
      "load  scheduler  busy\n"
      " 0.5  dunlin     0.50\n"
      " 0.9  sparrow    0.90\n");
  // Nothing is cut: where a column fits nowhere, it stands alone and its lines wrap.
  EXPECT_EQ(table.stacked(10, 2),
      "load  scheduler  mean\n"
      " 0.5  dunlin        1\n"
      " 0.9  sparrow      12\n"
      "\n"
      "load  scheduler  p99\n"
      " 0.5  dunlin      10\n"
      " 0.9  sparrow    250\n"
      "\n"
      "load  scheduler  busy\n"
      " 0.5  dunlin     0.50\n"
      " 0.9  sparrow    0.90\n");
  EXPECT_EQ(table.stacked(12, 0),
      "load\n 0.5\n 0.9\n\nscheduler\ndunlin\nsparrow\n\nmean  p99\n   1   10\n  12  "
      "250\n\nbusy\n0.50\n0.90\n");
}

}  // namespace
}  // namespace dunlin::config
