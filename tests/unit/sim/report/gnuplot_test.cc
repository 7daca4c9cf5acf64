// SPDX-License-Identifier: MIT
#include "sim/report/gnuplot.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace dunlin::sim {
namespace {

// More than a pipe holds: it is still being written when the shell has found out.
TEST(Gnuplot, WhereThereIsNoneThatIsTold) {
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(setenv("PATH", "/nowhere", 1), 0);
  const auto drawn = draw(std::string(1 << 20, '\n'), "plot 1", "/nowhere/picture");
  ASSERT_EQ(setenv("PATH", path.c_str(), 1), 0);
  ASSERT_FALSE(drawn);
  EXPECT_NE(drawn.error().text.find("gnuplot"), std::string::npos);
}

// A picture of an earlier run would be taken for this one's.
TEST(Gnuplot, WhereNothingIsDrawnNoOldPictureIsLeft) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("dunlin-gnuplot-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const std::string base = (folder / "picture").string();
  const auto left = [&] {
    return std::filesystem::exists(base + ".svg") || std::filesystem::exists(base + ".png");
  };
  const auto put = [&] {
    for (const char* const kind : {".svg", ".png"}) std::ofstream(base + kind) << "old";
  };
  put();
  EXPECT_FALSE(draw("nonsense\n", "plot 1", base));
  EXPECT_FALSE(left());
  put();
  const std::string path = std::getenv("PATH");
  ASSERT_EQ(setenv("PATH", "/nowhere", 1), 0);
  EXPECT_FALSE(draw("", "plot 1", base));
  ASSERT_EQ(setenv("PATH", path.c_str(), 1), 0);
  EXPECT_FALSE(left());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dunlin::sim
