// SPDX-License-Identifier: MIT
#include "sim/report/write_file.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>

#include "tests/support/scratch.h"

namespace dunlin::sim {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The most that a file may hold stands for a disk that is full.
TEST(WriteFile, LeavesTheOldFileWhereTheNewOneHasNoRoom) {
  const test::Scratch folder;
  const std::string file = folder / "summary.json";
  ASSERT_TRUE(write_file(file, "{\"old\": 1}"));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto written = write_file(file, std::string(100'000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().text, file + ": File too large");
  EXPECT_EQ(text_of(file), "{\"old\": 1}");
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "nothing is left beside it";
}

TEST(WriteFile, WritesThroughLinksAndIntoWhatIsNoFile) {
  const test::Scratch folder;
  const std::string real = folder / "real";
  const std::string link = folder / "link";
  ASSERT_TRUE(write_file(real, "one"));
  std::filesystem::create_symlink("real", link);
  ASSERT_TRUE(write_file(link, "two"));
  EXPECT_EQ(text_of(real), "two");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  ASSERT_TRUE(write_file("/dev/null", "gone"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const auto full = write_file("/dev/full", "gone");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().text, "/dev/full: No space left on device");
}

}  // namespace
}  // namespace dunlin::sim
