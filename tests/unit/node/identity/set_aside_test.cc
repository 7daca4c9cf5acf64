// SPDX-License-Identifier: MIT
#include "node/identity/set_aside.h"

#include <fstream>
#include <gtest/gtest.h>

#include "node/identity/identity_marks.h"
#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

TEST(SetAside, MovesTheIdentityAndItsDatabase) {
  const test::Scratch scratch;
  for (const char* const name : {"identity", "dunlin.sqlite", "kept"}) {
    std::ofstream(scratch / name) << name;
  }
  const auto to = set_aside_identity(scratch.path(), 7);
  ASSERT_TRUE(to) << to.error().text;
  EXPECT_EQ(to->filename(), "before-7");
  EXPECT_TRUE(std::filesystem::exists(*to / "identity"));
  EXPECT_TRUE(std::filesystem::exists(*to / "dunlin.sqlite"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "identity"));
  EXPECT_TRUE(std::filesystem::exists(scratch / "kept"));
}

// Or the warden that the old agent left behind took the new one for an earlier agent, when both
// had begun within one second.
TEST(SetAside, TheNewNodeGoesOnWithTheNumbersOfTheOldOne) {
  const test::Scratch scratch;
  std::ofstream(scratch / "identity") << "old";
  {
    auto marks = IdentityMarks::open(scratch.path());
    ASSERT_TRUE(marks);
    ASSERT_TRUE(marks->raise_incarnation(1000));
    marks->use_job(12);
  }
  ASSERT_TRUE(set_aside_identity(scratch.path(), 7));
  const auto marks = IdentityMarks::open(scratch.path());
  ASSERT_TRUE(marks);
  EXPECT_EQ(marks->incarnation(), 1000u);
  EXPECT_EQ(marks->job_last(), 12u);
}

TEST(SetAside, WithoutAnIdentityThereIsNothingToMove) {
  const test::Scratch scratch;
  const auto to = set_aside_identity(scratch.path(), 7);
  ASSERT_FALSE(to);
  EXPECT_EQ(to.error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace dunlin::node
