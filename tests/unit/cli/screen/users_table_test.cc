// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/users_table.h"

#include <gmock/gmock.h>

namespace dunlin::cli {
namespace {

using ::testing::HasSubstr;

TEST(UsersTable, ShowsWhatEachIsChargedWith) {
  const std::string text = users_text(
      Json::parse(R"({"users": [{"user": "alice", "clients": 3, "streams": 0, "followers": 1,
          "end_commands": 0, "requests": 70, "refused": 2, "failed": 0, "loop_ns": 1500000000},
          {"user": "", "clients": null, "requests": "x"}],
          "shares": {"clients": {"all": 128, "user": 32, "alone": 80, "kept": 16}}})"),
      Terminal{});
  EXPECT_THAT(text, HasSubstr("alice"));
  EXPECT_THAT(text, HasSubstr("(cluster key)"));
  EXPECT_THAT(text, HasSubstr("1.50 s"));
  EXPECT_THAT(text, HasSubstr("places: clients 128, a user 32\n"));
}

TEST(UsersTable, AnAgentThatTalksNonsenseBreaksNothing) {
  users_text(Json::parse(R"({"users": [null, 1, {"user": 7}], "shares": {"x": 3}})"), Terminal{});
  users_text(Json::parse(R"({"users": {"a": []}, "shares": [1]})"), Terminal{});
}

}  // namespace
}  // namespace dunlin::cli
