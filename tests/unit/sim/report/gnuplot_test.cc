// SPDX-License-Identifier: MIT
#include "sim/report/gnuplot.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

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

}  // namespace
}  // namespace dunlin::sim
