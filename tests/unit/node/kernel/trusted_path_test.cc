// SPDX-License-Identifier: MIT
#include "node/kernel/trusted_path.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A user that owns nothing here yet.
constexpr uid_t kStranger = 54321;

class TrustedPath : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  }
  std::string make(const std::string& name, mode_t mode, uid_t owner = 0) {
    const std::string path = scratch / name;
    fs::create_directories(path);
    EXPECT_EQ(::lchown(path.c_str(), owner, owner), 0);
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    return path;
  }
  static std::string objection(const std::string& path) {
    const auto fine = check_trusted(path, 0, "the data directory");
    return fine ? "" : fine.error().text;
  }

  test::Scratch scratch;
};

TEST_F(TrustedPath, TakesWhatRootAloneCanChange) {
  EXPECT_EQ(objection(make("mine", 0700)), "");
  EXPECT_EQ(objection(scratch / "mine/to/come"), "") << "what is not there yet";
}

// Its owner can make links of what is in it, whatever its mode.
TEST_F(TrustedPath, RefusesADirectoryOfAnotherUserHoweverNarrow) {
  const std::string path = make("theirs", 0700, kStranger);
  EXPECT_THAT(objection(path), HasSubstr("belongs to user 54321"));
  EXPECT_THAT(objection(path), HasSubstr("chown 0 " + path));
  const std::string inner = make("theirs/mine", 0700);
  EXPECT_THAT(objection(inner), HasSubstr(path));
  EXPECT_NE(objection(path + "/to/come"), "");
  EXPECT_TRUE(check_trusted(path, kStranger, "it")) << "to themselves it is as good as root's";
}

TEST_F(TrustedPath, RefusesWhatLiesWhereOthersMayWrite) {
  const std::string open = make("open", 0777);
  make("open/mine", 0700);
  EXPECT_THAT(objection(open + "/mine"), HasSubstr("chmod go-w " + open));
  EXPECT_EQ(objection(open), "") << "its own mode is looked at elsewhere";
  EXPECT_FALSE(check_trusted_directory(open, 0, "it"));
  ::chmod(open.c_str(), 01777);
  EXPECT_EQ(objection(open + "/mine"), "") << "as in /tmp: nobody can take it away";
  const std::string shared = make("shared", 0770);
  EXPECT_EQ(::lchown(shared.c_str(), 0, 54321), 0);
  EXPECT_NE(objection(shared + "/mine"), "");
}

TEST_F(TrustedPath, FollowsLinksOfRootAlone) {
  const std::string goal = make("goal", 0700);
  fs::create_directory_symlink(goal, scratch / "link");
  EXPECT_EQ(objection(scratch / "link"), "");
  EXPECT_EQ(objection(scratch / "link/inner"), "");
  fs::create_directory_symlink("goal/../goal", scratch / "relative");
  EXPECT_EQ(objection(scratch / "relative"), "");
  make("sticky", 01777);
  fs::create_directory_symlink(goal, scratch / "sticky/theirs");
  ASSERT_EQ(::lchown((scratch / "sticky/theirs").c_str(), kStranger, kStranger), 0);
  EXPECT_THAT(objection(scratch / "sticky/theirs"), HasSubstr("belongs to user 54321"));
  EXPECT_NE(objection(scratch / "sticky/theirs/inner"), "");
  const std::string far = make("far", 0700, kStranger);
  fs::create_directory_symlink(far, scratch / "away");
  EXPECT_THAT(objection(scratch / "away/x"), HasSubstr(far)) << "a link of root to their directory";
  fs::create_directory_symlink("round", scratch / "round");
  EXPECT_THAT(objection(scratch / "round"), HasSubstr("too many"));
}

}  // namespace
}  // namespace dunlin::node
