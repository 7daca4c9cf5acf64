// SPDX-License-Identifier: MIT
#include "sim/report/gnuplot.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <unistd.h>

namespace dunlin::sim {
namespace {

using ::testing::HasSubstr;

class GnuplotTest : public ::testing::Test {
 protected:
  GnuplotTest() {
    folder =
        std::filesystem::temp_directory_path() / ("dunlin-gnuplot-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    base = (folder / "picture").string();
  }
  ~GnuplotTest() override { std::filesystem::remove_all(folder); }

  /// Pictures of an earlier run.
  void put_old() const {
    for (const char* const kind : {".svg", ".png", ".pdf"}) std::ofstream(base + kind) << "old";
  }
  bool any_left() const {
    return std::ranges::any_of(std::array{".svg", ".png", ".pdf"},
        [&](const char* kind) { return std::filesystem::exists(base + kind); });
  }

  std::filesystem::path folder;
  std::string base;
};

TEST_F(GnuplotTest, WhereThereIsNoneThatIsToldAndTheScriptIsThere) {
  put_old();
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(setenv("PATH", "/nowhere", 1), 0);
  const auto drawn = draw({.plot = "plot 1"}, base);
  ASSERT_EQ(setenv("PATH", path.c_str(), 1), 0);
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.error().kind, ErrorKind::not_found);
  EXPECT_THAT(drawn.error().text, HasSubstr("`gnuplot picture.gp` draws the picture"));
  EXPECT_TRUE(std::filesystem::exists(base + ".gp"));
  EXPECT_TRUE(std::filesystem::exists(base + ".dat"));
  EXPECT_FALSE(any_left()) << "a picture of an earlier run would be taken for this one's";
}

TEST_F(GnuplotTest, WhatFailsSaysWhereAndLeavesNoOldPicture) {
  put_old();
  const auto drawn = draw({.frame = "nonsense\n", .plot = "plot 1"}, base);
  ASSERT_FALSE(drawn);
  EXPECT_THAT(drawn.error().text, HasSubstr("picture.gp"));
  EXPECT_FALSE(any_left());
}

TEST(Gnuplot, LongTitlesAreBroken) {
  EXPECT_EQ(title_command("it's", "two runs"), "set title 'it''s'.\"\\n\".'two runs' noenhanced\n");
  EXPECT_EQ(gnuplot_wrapped("one two three", 8), "'one two'.\"\\n\".'three'");
  EXPECT_EQ(gnuplot_wrapped("indivisible", 4), "'indivisible'");
}

TEST(Gnuplot, BlocksOfDataHaveNames) {
  PictureData data;
  EXPECT_EQ(data.add("line0", "x, y", "1 2\n"), "data index 'line0'");
  data.add("line1", "x, y", "");
  EXPECT_EQ(data.text(), "# x, y\n# line0\n1 2\n\n\n# x, y\n# line1\nNaN NaN NaN NaN\n\n\n");
}

}  // namespace
}  // namespace dunlin::sim
