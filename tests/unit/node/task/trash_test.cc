// SPDX-License-Identifier: MIT
#include "node/task/trash.h"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

namespace fs = std::filesystem;

class TrashTest : public ::testing::Test {
 protected:
  TrashTest() { uv_loop_init(&loop); }
  ~TrashTest() override {
    trash.reset();
    uv_run(&loop, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&loop), 0);
  }
  void open() {
    trash = std::make_unique<Trash>(
        loop, scratch / "trash", [this](const std::string& error) { errors.push_back(error); });
  }
  /// A directory with so many files.
  std::string make(const std::string& name, int files) {
    const std::string path = scratch / name;
    fs::create_directory(path);
    for (int i = 0; i < files; ++i)
      ::close(::creat((path + "/" + std::to_string(i)).c_str(), 0600));
    return path;
  }
  /// The files below the trash.
  long left() {
    return std::distance(
        fs::recursive_directory_iterator(scratch / "trash"), fs::recursive_directory_iterator());
  }

  test::Scratch scratch;
  uv_loop_t loop;
  std::vector<std::string> errors;
  std::unique_ptr<Trash> trash;
};

TEST_F(TrashTest, DeletesInSlicesWhileTheLoopGoesOn) {
  open();
  const auto path = make("many", 3 * Trash::kSlice);
  ASSERT_TRUE(trash->take(path));
  EXPECT_FALSE(fs::exists(path)) << "it is out of the way at once";
  int turns = 0;
  while (!trash->idle()) {
    uv_run(&loop, UV_RUN_ONCE);
    ++turns;
  }
  EXPECT_GE(turns, 3) << "the loop had its turn between slices";
  EXPECT_EQ(left(), 0);
  EXPECT_TRUE(errors.empty());
}

TEST_F(TrashTest, StopsAtTheEndAndGoesOnAtTheNextStart) {
  open();
  ASSERT_TRUE(trash->take(make("many", 3 * Trash::kSlice)));
  trash.reset();
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_GT(left(), Trash::kSlice) << "one slice at most after the end";
  open();
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(left(), 0);
}

TEST_F(TrashTest, DeletesDeepClosedAndLinkedDirectories) {
  open();
  const auto kept = make("kept", 2);
  const auto path = make("odd", 1);
  fs::create_directory_symlink(kept, path + "/link");
  fs::create_directory(path + "/closed");
  test::write_file(path + "/closed/file", "");
  ::chmod((path + "/closed").c_str(), 0);
  std::string deep = path;
  for (int i = 0; i < 100; ++i) deep += "/d";
  fs::create_directories(deep);
  ASSERT_TRUE(trash->take(path));
  uv_run(&loop, UV_RUN_DEFAULT);
  EXPECT_EQ(left(), 0);
  EXPECT_TRUE(fs::exists(kept + "/1")) << "a link is not followed";
  EXPECT_TRUE(errors.empty()) << errors.front();
}

TEST_F(TrashTest, TellsWhatItCannotMove) {
  open();
  EXPECT_FALSE(trash->take(scratch / "absent"));
}

}  // namespace
}  // namespace dunlin::node
