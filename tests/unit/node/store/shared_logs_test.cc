// SPDX-License-Identifier: MIT
#include "node/store/shared_logs.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

class SharedLogsTest : public ::testing::Test {
 protected:
  SharedLogs opened() {
    SharedLogs logs(scratch_ / "logs.shared");
    EXPECT_TRUE(logs.open());
    return logs;
  }
  void append(const std::string& text) {
    std::ofstream(scratch_ / "logs.shared", std::ios::app) << text;
  }

  test::Scratch scratch_;
};

TEST_F(SharedLogsTest, AreKnownFromThenOn) {
  SharedLogs logs = opened();
  EXPECT_FALSE(logs.has(7));
  ASSERT_TRUE(logs.add(7));
  ASSERT_TRUE(logs.add(0xfedcba9876543211));
  ASSERT_TRUE(logs.add(7)) << "once is enough";
  EXPECT_TRUE(logs.has(7));
  const SharedLogs later = opened();
  EXPECT_TRUE(later.has(7));
  EXPECT_TRUE(later.has(0xfedcba9876543211));
  EXPECT_FALSE(later.has(8));
  struct stat status{};
  ASSERT_EQ(::stat((scratch_ / "logs.shared").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  EXPECT_EQ(status.st_size, 36) << "two lines, each with an empty one before it";
}

TEST_F(SharedLogsTest, ALineThatAPowerCutToreHidesNoOther) {
  ASSERT_TRUE(opened().add(7));
  append("00000000");
  ASSERT_TRUE(opened().add(9));
  append("nonsense that is no name at all\n0000000000000011");
  const SharedLogs logs = opened();
  EXPECT_TRUE(logs.has(7));
  EXPECT_TRUE(logs.has(9));
  EXPECT_FALSE(logs.has(0x11)) << "its end is missing";
}

TEST_F(SharedLogsTest, OfAVeryLongFileTheEndCounts) {
  const std::string line = "\n00000000000000aa\n";
  std::string many;
  for (int i = 0; i < 200'000; ++i) many += line;
  append(many);
  ASSERT_TRUE(opened().add(7));
  EXPECT_TRUE(opened().has(7));
}

TEST_F(SharedLogsTest, ALinkIsNotFollowed) {
  append("");
  std::filesystem::rename(scratch_ / "logs.shared", scratch_ / "elsewhere");
  std::filesystem::create_symlink(scratch_ / "elsewhere", scratch_ / "logs.shared");
  SharedLogs logs(scratch_ / "logs.shared");
  EXPECT_FALSE(logs.open());
  EXPECT_FALSE(logs.add(7));
}

}  // namespace
}  // namespace dunlin::node
