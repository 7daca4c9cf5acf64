// SPDX-License-Identifier: MIT
#include "node/warden/output/task_output.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace dunlin::node::warden {
namespace {

class KeptStreamTest : public ::testing::Test {
 protected:
  std::string content() const { return test::file_text(file); }
  void write(const std::string& text) {
    ASSERT_EQ(
        ::write(stream.child_end(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  test::Scratch scratch;
  std::string file = scratch / "0.out";
  KeptStream stream;
};

TEST_F(KeptStreamTest, MovesWhatWaitsIntoItsFile) {
  ASSERT_EQ(stream.open(file, {}), 0);
  EXPECT_EQ(stream.move(), KeptStream::State::empty);
  write("one ");
  write("two");
  EXPECT_EQ(stream.waiting(), 7u);
  EXPECT_EQ(stream.move(), KeptStream::State::empty);
  EXPECT_EQ(stream.waiting(), 0u);
  EXPECT_EQ(content(), "one two");
  EXPECT_EQ(stream.moved(), 7u);
}

TEST_F(KeptStreamTest, EmptiesWhatAnotherTaskLeft) {
  test::write_file(file, "of another task");
  ASSERT_EQ(stream.open(file, {}), 0);
  EXPECT_EQ(content(), "");
  write("own");
  stream.move();
  EXPECT_EQ(content(), "own");
}

TEST_F(KeptStreamTest, ItsTasksEndIsNoEndOfTheStream) {
  ASSERT_EQ(stream.open(file, {}), 0);
  const int of_task = ::dup(stream.child_end());
  ASSERT_EQ(::write(of_task, "last", 4), 4);
  ::close(of_task);
  EXPECT_EQ(stream.move(), KeptStream::State::empty) << "no end is told: the warden knows of it";
  EXPECT_EQ(content(), "last");
  stream.close();
  EXPECT_LT(stream.child_end(), 0);
  EXPECT_LT(stream.descriptor(), 0);
}

TEST_F(KeptStreamTest, MovesNoMoreThanItMay) {
  ASSERT_EQ(stream.open(file, {}), 0);
  write(std::string(10'000, 'x'));
  EXPECT_EQ(stream.move(4'000), KeptStream::State::more);
  EXPECT_EQ(content().size(), 4'000u);
  EXPECT_EQ(stream.move(), KeptStream::State::empty);
  EXPECT_EQ(content().size(), 10'000u);
  EXPECT_GT(stream.room().value_or(0), 0u);
}

TEST_F(KeptStreamTest, FollowsNoLink) {
  ASSERT_EQ(::symlink("elsewhere", file.c_str()), 0);
  EXPECT_EQ(stream.open(file, {}), ELOOP);
}

}  // namespace
}  // namespace dunlin::node::warden
