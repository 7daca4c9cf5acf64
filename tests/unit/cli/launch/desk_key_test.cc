// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/desk_key.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/cli/launch/own_config.h"

namespace dunlin::cli {
namespace {

class DeskKeyTest : public ::testing::Test {
 protected:
  OwnConfig config_;
  const test::Scratch& scratch = config_.folder();
};

TEST_F(DeskKeyTest, IsMadeOnceForANewClusterAlone) {
  // Of a cluster that lives another key would make two.
  const auto none = desk_key("", "lab", false);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->text, "");
  EXPECT_FALSE(std::filesystem::exists(none->path));
  const auto made = desk_key("", "lab", true);
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_TRUE(made->fresh);
  EXPECT_NE(made->text.find("cluster lab"), std::string::npos);
  struct stat status{};
  ASSERT_EQ(::stat(made->path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  const auto again = desk_key("", "lab", true);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->fresh);
  EXPECT_EQ(again->text, made->text);
}

TEST_F(DeskKeyTest, OneThatIsNamedMustBeThere) {
  EXPECT_FALSE(desk_key(scratch / "key", "lab", true));
  EXPECT_FALSE(std::filesystem::exists(scratch / "key"));
}

TEST_F(DeskKeyTest, OneThatOthersCanReadIsRefused) {
  const auto made = desk_key("", "lab", true);
  ASSERT_TRUE(made);
  ASSERT_EQ(::chmod(made->path.c_str(), 0644), 0);
  EXPECT_FALSE(desk_key("", "lab", true));
}

}  // namespace
}  // namespace dunlin::cli
