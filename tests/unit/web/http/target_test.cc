// SPDX-License-Identifier: MIT
#include "web/http/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::web {
namespace {

using ::testing::ElementsAre;

TEST(Target, HasStepsAndParameters) {
  const auto target = parse_target("/v1/jobs/wren.7?state=done&name=a%2Ab+c&all");
  ASSERT_TRUE(target);
  EXPECT_THAT(target->steps, ElementsAre("v1", "jobs", "wren.7"));
  EXPECT_EQ(target->parameter("state"), "done");
  EXPECT_EQ(target->parameter("name"), "a*b c");
  EXPECT_EQ(target->parameter("all"), "");
  EXPECT_FALSE(target->parameter("limit"));
  EXPECT_TRUE(parse_target("/")->steps.empty());
  EXPECT_THAT(parse_target("/a/b%2Fc#x")->steps, ElementsAre("a", "b/c"));
}

TEST(Target, IsNoneThatHidesSomething) {
  for (const char* const text :
      {"", "a", "*", "http://a/", "/a//b", "/../etc/passwd", "/%2e%2e/x", "/./a", "/a%0d%0ab",
          "/a%00", "/%zz", "/%4", "/%ff", "/a?x=%c0%af", "/a?x=1&x=2", "/a?x=%0a"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "/a";
  EXPECT_FALSE(parse_target(deep));
}

}  // namespace
}  // namespace dunlin::web
