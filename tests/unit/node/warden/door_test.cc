// SPDX-License-Identifier: MIT
#include "node/warden/door.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"

// A warden of root that takes its directory from another user would follow that one's links.
namespace dunlin::node::warden {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A user that owns nothing here yet.
constexpr uid_t kNeighbour = 54321;

class DoorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  }
  static std::string refusal(const std::string& path) {
    const auto door = Door::open(path);
    return door ? "" : door.error().text;
  }

  test::Scratch scratch;
};

TEST_F(DoorTest, OpensInADirectoryOfItsOwn) {
  const std::string path = scratch / "warden";
  EXPECT_EQ(refusal(path), "");
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0700u);
}

TEST_F(DoorTest, OpensInNoDirectoryOfAnotherUserHoweverNarrow) {
  const std::string path = scratch / "theirs";
  fs::create_directory(path);
  ASSERT_EQ(::chmod(path.c_str(), 0700), 0);
  ASSERT_EQ(::chown(path.c_str(), kNeighbour, kNeighbour), 0);
  EXPECT_THAT(refusal(path), HasSubstr("belongs to user 54321"));
  EXPECT_THAT(refusal(path + "/warden"), HasSubstr("belongs to user 54321"));
  EXPECT_TRUE(fs::is_empty(path));
}

TEST_F(DoorTest, OpensInNoDirectoryThatOthersMayWrite) {
  const std::string path = scratch / "wide";
  fs::create_directory(path);
  ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  EXPECT_THAT(refusal(path + "/warden"), HasSubstr("chmod go-w " + path));
  EXPECT_TRUE(fs::is_empty(path));
}

TEST_F(DoorTest, FollowsNoLinkToItsDirectory) {
  fs::create_directory(scratch / "elsewhere");
  fs::create_directory_symlink(scratch / "elsewhere", scratch / "warden");
  EXPECT_THAT(refusal(scratch / "warden"), HasSubstr("cannot enter"));
  EXPECT_TRUE(fs::is_empty(scratch / "elsewhere"));
}

}  // namespace
}  // namespace dunlin::node::warden
