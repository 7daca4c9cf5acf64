// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/ssh.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace dunlin::cli {
namespace {

using ::testing::Contains;
using ::testing::Not;

// Whatever the user's configuration says: what is typed goes first.
TEST(Ssh, AsksNobodyAndWaivesNoHostKey) {
  const auto words = ssh_words({.config = "/c", .control = "/run/x"}, {.name = "n1"}, {}, "true");
  EXPECT_THAT(words, Contains("BatchMode=yes"));
  EXPECT_THAT(words, Contains("StrictHostKeyChecking=yes"));
  EXPECT_THAT(words, Contains("ForwardAgent=no"));
  EXPECT_THAT(words, Contains("ControlPath=/run/x/%C"));
  EXPECT_THAT(words, Contains("/c"));
}

// Behind "--" a host is no flag, and the command is one word.
TEST(Ssh, TheHostComesLastAndThenItsCommand) {
  const auto words = ssh_words(
      {}, {.name = "fd00::1", .user = "bob", .port = 2222}, {"-L", "a:b"}, "exec sh -c 'x y'");
  ASSERT_GE(words.size(), 8u);
  EXPECT_EQ(std::vector(words.end() - 9, words.end()),
      (std::vector<std::string>{
          "-L", "a:b", "-p", "2222", "-l", "bob", "--", "fd00::1", "exec sh -c 'x y'"}));
  EXPECT_THAT(words, Contains("ControlMaster=no"));
  EXPECT_THAT(words, Not(Contains("-F")));
}

TEST(Ssh, ItsDirectoryIsPrivateAndGoes) {
  std::string path;
  {
    const auto directory = PrivateDirectory::make();
    ASSERT_TRUE(directory) << directory.error().text;
    path = directory->path();
    struct stat status{};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0700u);
    // A path of a socket has 107 bytes; ssh adds 17 while it makes one.
    EXPECT_LT(path.size() + 1 + 40 + 17, 107u);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace dunlin::cli
