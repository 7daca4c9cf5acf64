// SPDX-License-Identifier: MIT
#include "node/store/job_blob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::node {
namespace {

using namespace std::chrono_literals;

std::vector<sched::TaskGroup> one_group() {
  return {{.name = "frames", .count = 3, .time_limit = 90s, .duration = 20s, .spec = "render"}};
}

TEST(JobBlob, ComesBackAsItWas) {
  const auto back = decode_groups(encode_groups(one_group()));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->groups, one_group());
  EXPECT_EQ(back->service_class, "");
}

TEST(JobBlob, KeepsTheClass) {
  const auto back = decode_groups(encode_groups(one_group(), "web"));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(back->groups, one_group());
  EXPECT_EQ(back->service_class, "web");
}

TEST(JobBlob, RefusesANameThatNoClassCanHave) {
  EXPECT_FALSE(decode_groups(encode_groups(one_group(), "Web!")));
}

// Version 1 ended with the time limit; 2 is still written where there is no class.
TEST(JobBlob, ReadsWhatOlderVersionsWrote) {
  std::string bytes = encode_groups(one_group());
  ASSERT_EQ(bytes[0], 2);
  bytes[0] = 1;
  bytes.resize(bytes.size() - 8);
  const auto back = decode_groups(bytes);
  ASSERT_TRUE(back) << back.error().text;
  auto expected = one_group();
  expected[0].duration = sched::Duration{0};
  EXPECT_EQ(back->groups, expected);
}

TEST(JobBlob, RefusesWhatNewerVersionsWrote) {
  std::string bytes = encode_groups(one_group());
  bytes[0] = 4;
  const auto back = decode_groups(bytes);
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().text, ::testing::HasSubstr("newer Dunlin"));
}

}  // namespace
}  // namespace dunlin::node
