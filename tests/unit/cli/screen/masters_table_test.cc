// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/masters_table.h"

#include <gmock/gmock.h>

namespace dunlin::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

Json answer() {
  Json cell = {{"cell", "02ab"}, {"manager_name", "n1"}, {"epoch", 2}, {"size", 5}, {"rows", 4},
      {"free", {{"cpu_milli", 12'500}, {"memory_mib", 524'288}}}, {"age_ns", 1'500'000'000},
      {"masters", 1}};
  Json master = {{"name", "n7"}, {"cells", 1}, {"partition", 4}, {"launched", 8}, {"internal", 1},
      {"external", 0}, {"refused", 1}, {"under_way", 2}, {"parked", 3}, {"inconsistency", .125}};
  return {{"cells", {cell}}, {"masters", {master}}, {"silent", Json::array()}};
}

TEST(MastersTable, HasALineForEachMaster) {
  const std::string text = masters_text(answer(), Terminal{});
  EXPECT_THAT(text, ContainsRegex("02ab +n1 +2 +4/5 +12.5 +512 +1.5 s"));
  EXPECT_THAT(text, ContainsRegex("n7 +1 +4 +8 +12.5 % +1 +2 +3"));
}

TEST(MastersTable, NoRateOfNothing) {
  Json fresh = answer();
  fresh["masters"][0]["inconsistency"] = nullptr;
  EXPECT_THAT(masters_text(fresh, Terminal{}), ContainsRegex("n7 +1 +4 +8 +- +1 +2 +3"));
}

TEST(MastersTable, SaysWhenThereAreMasters) {
  Json none = answer();
  none["cells"] = none["masters"] = Json::array();
  none["silent"] = {{{"cell", "02ac"}, {"why", "no manager is known"}}};
  const std::string text = masters_text(none, Terminal{});
  EXPECT_THAT(text, HasSubstr("frontend.placement"));
  EXPECT_THAT(text, HasSubstr("cell 02ac did not answer: no manager is known\n"));
  EXPECT_THAT(masters_text(answer(), Terminal{}), Not(HasSubstr("frontend.placement")));
}

}  // namespace
}  // namespace dunlin::cli
