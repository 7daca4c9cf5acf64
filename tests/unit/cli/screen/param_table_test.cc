// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/param_table.h"

#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

Json params() {
  return {
      {{"key", "a.b"}, {"value", "1s"}, {"range", "0 .. 9"}, {"meaning", "Time between looks."}},
      {{"key", "a.longer"}, {"value", "2"}, {"range", "1 .. 2"},
          {"meaning", "Links of a peer: the more there are, the better."}}};
}

std::string at_width(std::size_t columns) {
  return param_table(
      params(), "DEFAULT", {.interactive = true, .colours = false, .columns = columns});
}

TEST(ParamTable, MeaningsStandBesideWhereThereIsRoom) {
  EXPECT_EQ(at_width(0),
      "PARAMETER  DEFAULT  RANGE   MEANING\n"
      "a.b        1s       0 .. 9  Time between looks.\n"
      "a.longer   2        1 .. 2  Links of a peer: the more there are, the better.\n");
  EXPECT_EQ(at_width(68),
      "PARAMETER  DEFAULT  RANGE   MEANING\n"
      "a.b        1s       0 .. 9  Time between looks.\n"
      "a.longer   2        1 .. 2  Links of a peer: the more there are, the\n"
      "                            better.\n");
}

// They were broken within words at 80 columns.
TEST(ParamTable, ElseBelow) {
  EXPECT_EQ(at_width(40),
      "PARAMETER  DEFAULT  RANGE\n"
      "a.b        1s       0 .. 9\n"
      "    Time between looks.\n"
      "a.longer   2        1 .. 2\n"
      "    Links of a peer: the more there are,\n"
      "    the better.\n");
}

}  // namespace
}  // namespace dunlin::cli
