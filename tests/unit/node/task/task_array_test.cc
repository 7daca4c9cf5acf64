// SPDX-License-Identifier: MIT
#include "node/task/task_array.h"

#include <gmock/gmock.h>
#include <set>
#include <string>

#include "overlay/rng.h"

namespace dunlin::node {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TaskArray, IsIndicesRangesStepsAndHowManyAtOnce) {
  EXPECT_THAT(parse_array("7")->indices, ElementsAre(7));
  EXPECT_THAT(parse_array("0-3")->indices, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(parse_array("1-10:4")->indices, ElementsAre(1, 5, 9));
  EXPECT_THAT(parse_array("9,3,1-3")->indices, ElementsAre(1, 2, 3, 9)) << "each once, in order";
  EXPECT_EQ(parse_array("0-3")->at_once, 0u);
  EXPECT_EQ(parse_array("0-3%2")->at_once, 2u);
  EXPECT_EQ(parse_array("0-999999")->indices.size(), TaskArray::kTasksMax);
  EXPECT_THAT(parse_array("999999999-999999999:4000000000")->indices, ElementsAre(999'999'999));
}

TEST(TaskArray, NamesThePartThatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {{"", "'' is no index"},
      {"1,,2", "'' is no index"}, {"a", "'a' is no index"}, {"-3", "'-3' is no index"},
      {"1-", "'1-' is no index"}, {"5:2", "'5:2' is no index"}, {"1-9:", "'1-9:' is no index"},
      {"1-9:0", "'1-9:0' has a step of 0"}, {"9-1", "'9-1' ends before it begins"},
      {"1000000000", "goes beyond 999999999"}, {"0-1000000", "more than 1000000 tasks"},
      {"0-999999,0", "'0' makes it more than 1000000 tasks"}, {"1%", "'%' does not say"},
      {"1%0", "'%0' does not say"}, {"1%2%3", "'%2%3' does not say"}, {" 1", "' 1' is no index"},
      {"99999999999999999999", "is no index"}};
  for (const auto& [text, error] : wrong) {
    const auto array = parse_array(text);
    ASSERT_FALSE(array) << text;
    EXPECT_EQ(array.error().kind, ErrorKind::usage);
    EXPECT_THAT(array.error().text, HasSubstr(error));
  }
}

// What a user writes is the set that a naive reader makes of it.
TEST(TaskArrayProperty, IsTheUnionOfItsParts) {
  overlay::Rng rng(1);
  for (int round = 0; round < 2000; ++round) {
    std::set<std::uint32_t> model;
    std::string text;
    const std::uint32_t parts = 1 + rng.below(6);
    for (std::uint32_t part = 0; part < parts; ++part) {
      const std::uint32_t first = rng.below(300);
      const std::uint32_t last = first + rng.below(100);
      const std::uint32_t step = 1 + rng.below(12);
      text += (part == 0 ? "" : ",") + std::to_string(first);
      if (rng.chance(0.3)) {
        model.insert(first);
        continue;
      }
      text += "-" + std::to_string(last);
      const bool steps = rng.chance(0.5);
      if (steps) text += ":" + std::to_string(step);
      for (std::uint32_t i = first; i <= last; i += steps ? step : 1) model.insert(i);
    }
    const std::uint32_t at_once = rng.below(20);
    if (at_once > 0) text += "%" + std::to_string(at_once);
    const auto array = parse_array(text);
    ASSERT_TRUE(array) << text;
    EXPECT_EQ(array->indices, std::vector<std::uint32_t>(model.begin(), model.end())) << text;
    EXPECT_EQ(array->at_once, at_once);
  }
}

// Whatever stands there, it is refused, or an array within its bounds.
TEST(TaskArrayProperty, NoTextBreaksIt) {
  constexpr std::string_view kLetters = "0123456789-,:%  x";
  overlay::Rng rng(2);
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const std::uint32_t size = rng.below(14);
    for (std::uint32_t i = 0; i < size; ++i) text += kLetters[rng.index(kLetters.size())];
    const auto array = parse_array(text);
    if (!array) continue;
    EXPECT_FALSE(array->indices.empty()) << text;
    EXPECT_LE(array->indices.size(), TaskArray::kTasksMax) << text;
    EXPECT_TRUE(std::ranges::is_sorted(array->indices)) << text;
  }
}

}  // namespace
}  // namespace dunlin::node
