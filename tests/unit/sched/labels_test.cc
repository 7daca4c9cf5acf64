// SPDX-License-Identifier: MIT
#include "sched/labels.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include "sched/job.h"

namespace dunlin::sched {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Labels, AreAKeyAndAValue) {
  EXPECT_EQ(*parse_label("team=lab3"), (Label{.key = "team", .value = "lab3"}));
  EXPECT_EQ(*parse_label("a/b.c-d_E9=x = y"), (Label{.key = "a/b.c-d_E9", .value = "x = y"}));
  EXPECT_EQ(to_string(*parse_label("team=lab3")), "team=lab3");
  for (const std::string& wrong :
      std::vector<std::string>{"", "=", "team", "team=", "=lab3", "a b=c", "t\xc3\xa9=c", "a=b\nc",
          std::string(64, 'k') + "=v", "k=" + std::string(128, 'v')}) {
    const auto read = parse_label(wrong);
    ASSERT_FALSE(read) << wrong;
    EXPECT_EQ(read.error().kind, ErrorKind::usage);
    EXPECT_THAT(read.error().text, HasSubstr("write KEY=VALUE"));
  }
  EXPECT_TRUE(parse_label(std::string(63, 'k') + "=" + std::string(127, 'v')));
}

TEST(Labels, AKeyAloneIsWantedWithAnyValue) {
  EXPECT_EQ(*parse_wanted_label("team"), (Label{.key = "team", .value = ""}));
  EXPECT_EQ(to_string(*parse_wanted_label("team")), "team");
  EXPECT_EQ(*parse_wanted_label("team=a"), (Label{.key = "team", .value = "a"}));
  EXPECT_FALSE(parse_wanted_label("team="));
  EXPECT_FALSE(parse_wanted_label(""));
}

TEST(Labels, AreInTheOrderOfTheirKeys) {
  std::vector<Label> labels;
  for (const char* const text : {"team=a", "step=1", "user=x", "step=2"}) {
    set_label(labels, *parse_label(text));
  }
  EXPECT_THAT(labels,
      ElementsAre(Label{.key = "step", .value = "2"}, Label{.key = "team", .value = "a"},
          Label{.key = "user", .value = "x"}));
  EXPECT_TRUE(check_labels(labels));
  std::swap(labels[0], labels[1]);
  EXPECT_FALSE(check_labels(labels));
}

TEST(Labels, AJobHasSoManyAtMost) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < kLabelsMax; ++i) {
    set_label(labels, {.key = "k" + std::to_string(i), .value = "v"});
  }
  EXPECT_TRUE(check_labels(labels));
  set_label(labels, {.key = "one-more", .value = "v"});
  EXPECT_THAT(check_labels(labels).error().text, HasSubstr("more than 16 labels"));
}

TEST(Labels, AllThatAreWantedMustBeThere) {
  const std::vector<Label> labels = {{.key = "step", .value = "2"}, {.key = "team", .value = "a"}};
  const auto has = [&](std::vector<Label> wanted) { return has_labels(labels, wanted); };
  EXPECT_TRUE(has({}));
  EXPECT_TRUE(has({{.key = "team", .value = "a"}}));
  EXPECT_TRUE(has({{.key = "team", .value = ""}, {.key = "step", .value = "2"}}));
  EXPECT_FALSE(has({{.key = "team", .value = "b"}}));
  EXPECT_FALSE(has({{.key = "team", .value = "a"}, {.key = "user", .value = ""}}));
}

}  // namespace
}  // namespace dunlin::sched
