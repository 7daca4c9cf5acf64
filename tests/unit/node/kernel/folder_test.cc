// SPDX-License-Identifier: MIT
#include "node/kernel/folder.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

namespace fs = std::filesystem;
using ::testing::UnorderedElementsAre;

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    fs::create_directory(scratch / "in");
    test::write_file(scratch / "outside/secret", "secret");
    folder = *Folder::open(scratch / "in");
  }
  /// True if it could be opened to write.
  bool opens(const std::string& name) const {
    const int file = folder.open_file(name, O_WRONLY | O_CREAT);
    if (file >= 0) ::close(file);
    return file >= 0;
  }

  test::Scratch scratch;
  Folder folder;
};

TEST_F(FolderTest, HoldsFilesAndDirectories) {
  EXPECT_TRUE(folder.make_directory("a"));
  EXPECT_TRUE(folder.make_directory("a/b"));
  EXPECT_TRUE(folder.make_directory("a/b")) << "it is one now";
  EXPECT_TRUE(opens("a/b/file"));
  EXPECT_FALSE(folder.make_directory("a/b/file"));
  EXPECT_TRUE(folder.rename("a/b/file", "a/moved"));
  struct stat found{};
  EXPECT_TRUE(folder.look_at("a/moved", found));
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  EXPECT_THAT(folder.names("a"), UnorderedElementsAre("b", "moved"));
  EXPECT_TRUE(folder.folder("a").unlink("moved"));
  EXPECT_TRUE(folder.remove_directory("a/b"));
  EXPECT_TRUE(opens("a/again"));
  folder.remove_all("a");
  EXPECT_TRUE(folder.names().empty());
  EXPECT_FALSE(folder.folder("a"));
}

TEST_F(FolderTest, FollowsNoLinkAtAnyStep) {
  fs::create_directory_symlink(scratch / "outside", scratch / "in/link");
  fs::create_symlink(scratch / "outside/secret", scratch / "in/file");
  EXPECT_FALSE(opens("link/secret"));
  EXPECT_FALSE(opens("link/new"));
  EXPECT_FALSE(opens("file"));
  EXPECT_EQ(errno, ELOOP);
  EXPECT_FALSE(folder.make_directory("link"));
  EXPECT_FALSE(folder.make_directory("link/new"));
  EXPECT_FALSE(folder.folder("link"));
  EXPECT_TRUE(folder.names("link").empty());
  struct stat found{};
  EXPECT_FALSE(folder.look_at("link/secret", found));
  EXPECT_FALSE(folder.unlink("link/secret"));
  EXPECT_FALSE(folder.rename("link/secret", "mine"));
  folder.remove_all("link");
  folder.remove_all("file");
  EXPECT_EQ(test::file_text(scratch / "outside/secret"), "secret");
  EXPECT_TRUE(folder.names().empty()) << "the links themselves are gone";
  fs::create_directory_symlink(scratch / "in", scratch / "entrance");
  EXPECT_FALSE(Folder::open(scratch / "entrance"));
}

}  // namespace
}  // namespace dunlin::node
