// SPDX-License-Identifier: MIT
#include "node/agent/file_modes.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

mode_t mode_of(const std::string& path) {
  struct stat found{};
  EXPECT_EQ(::stat(path.c_str(), &found), 0) << path;
  return found.st_mode & 07777;
}

class FileModes : public ::testing::Test {
 protected:
  FileModes() {
    options.data_dir = scratch / "data";
    options.key_file = scratch / "cluster.key";
    for (const char* name : {"identity", "dunlin.sqlite", "dunlin.sqlite-wal"}) {
      test::write_file(options.data_dir + "/" + name, "secret");
      ::chmod((options.data_dir + "/" + name).c_str(), 0644);
    }
    test::write_file(options.key_file, "secret");
    ::chmod(options.key_file.c_str(), 0604);
    ::chmod(options.data_dir.c_str(), 0755);
  }

  test::Scratch scratch;
  Metrics metrics;
  Log log{overlay::Level::error, LogFormat::text, metrics};
  AgentOptions options;
};

TEST_F(FileModes, ClosesItsOwnFiles) {
  ASSERT_TRUE(close_files(options, ::geteuid(), log));
  EXPECT_EQ(mode_of(options.data_dir), 0700u);
  for (const char* name : {"identity", "dunlin.sqlite", "dunlin.sqlite-wal"}) {
    EXPECT_EQ(mode_of(options.data_dir + "/" + name), 0600u) << name;
  }
  EXPECT_EQ(mode_of(options.key_file), 0600u);
}

TEST_F(FileModes, AKeyThatItsGroupMayReadStaysSo) {
  ::chmod(options.key_file.c_str(), 0640);
  ASSERT_TRUE(close_files(options, ::geteuid(), log));
  EXPECT_EQ(mode_of(options.key_file), 0640u);
}

TEST_F(FileModes, AKeyThatOthersMayWriteIsLeftToItsReader) {
  ::chmod(options.key_file.c_str(), 0602);
  ASSERT_TRUE(close_files(options, ::geteuid(), log));
  EXPECT_EQ(mode_of(options.key_file), 0602u);
}

TEST_F(FileModes, RefusesFilesOfAnotherUserAndSaysWhatToDo) {
  const uid_t another = ::geteuid() + 1;
  auto closed = close_files(options, another, log);
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().text, HasSubstr("chmod 0700 " + options.data_dir));
  EXPECT_THAT(closed.error().text, HasSubstr("chown " + std::to_string(another)));
  EXPECT_EQ(mode_of(options.data_dir), 0755u);
  // Its owner can make links of what is in it, and the agent would write where they lead.
  ::chmod(options.data_dir.c_str(), 0700);
  closed = close_files(options, another, log);
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().text, HasSubstr("belongs to another user"));
}

TEST_F(FileModes, RefusesWhatAnotherUserOwnsHoweverNarrow) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kStranger = 54321;
  ASSERT_TRUE(close_files(options, 0, log));
  for (const std::string& path : {options.data_dir, options.data_dir + "/identity",
           options.data_dir + "/dunlin.sqlite", options.key_file}) {
    ASSERT_EQ(::chown(path.c_str(), kStranger, kStranger), 0);
    const auto closed = close_files(options, 0, log);
    ASSERT_FALSE(closed) << path;
    EXPECT_THAT(closed.error().text, HasSubstr("chown 0 " + path));
    ASSERT_EQ(::chown(path.c_str(), 0, 0), 0);
  }
  EXPECT_TRUE(close_files(options, 0, log));
}

TEST_F(FileModes, RefusesLinksInTheDataDirectory) {
  ASSERT_TRUE(close_files(options, ::geteuid(), log));
  for (const char* name :
      {"/output", "/tasks", "/warden", "/identity.marks", "/lock", "/dunlin.sqlite-journal"}) {
    const std::string link = options.data_dir + name;
    std::filesystem::create_symlink(scratch / "elsewhere", link);
    const auto closed = close_files(options, ::geteuid(), log);
    ASSERT_FALSE(closed) << link;
    EXPECT_THAT(closed.error().text, HasSubstr(link + ": is a symbolic link"));
    std::filesystem::remove(link);
  }
}

TEST_F(FileModes, DoesNotCloseADirectoryThatOthersUse) {
  options.data_dir = scratch / "shared";
  test::write_file(options.data_dir + "/somebody's", "file");
  ::chmod(options.data_dir.c_str(), 0777);
  const auto closed = close_files(options, ::geteuid(), log);
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().text, HasSubstr("--data-dir"));
  EXPECT_EQ(mode_of(options.data_dir), 0777u);
}

}  // namespace
}  // namespace dunlin::node
