// SPDX-License-Identifier: MIT
#include "node/access/user_names.h"

#include <gtest/gtest.h>
#include <optional>

namespace dunlin::node {
namespace {

class UserNamesTest : public ::testing::Test {
 protected:
  UserNamesTest() { uv_loop_init(&loop); }
  ~UserNamesTest() override {
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop), 0);
  }
  std::string name_of(UserNames& names, uid_t user) {
    std::string found;
    names.find(user, [&](std::string name) { found = std::move(name); });
    uv_run(&loop, UV_RUN_DEFAULT);
    return found;
  }
  uv_loop_t loop{};
};

TEST_F(UserNamesTest, FindsNamesAndRemembersThem) {
  UserNames names(loop);
  EXPECT_EQ(name_of(names, 0), "root");
  EXPECT_EQ(name_of(names, 54'321), "#54321") << "no user has this id";
  std::optional<std::string> at_once;
  names.find(0, [&](std::string name) { at_once = std::move(name); });
  EXPECT_EQ(at_once, "root") << "without a turn of the loop";
  EXPECT_EQ(names.waiting(0), 0u);
}

TEST_F(UserNamesTest, TellsNobodyWhenItHasGone) {
  bool told = false;
  {
    UserNames names(loop);
    names.find(0, [&](const std::string&) { told = true; });
    EXPECT_EQ(names.waiting(0), 1u);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace dunlin::node
