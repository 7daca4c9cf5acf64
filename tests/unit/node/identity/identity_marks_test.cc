// SPDX-License-Identifier: MIT
#include "node/identity/identity_marks.h"

#include <gmock/gmock.h>
#include <limits>
#include <sys/stat.h>

#include "tests/support/scratch.h"

namespace dunlin::node {
namespace {

using ::testing::HasSubstr;

class Marks : public ::testing::Test {
 protected:
  IdentityMarks open() {
    auto marks = IdentityMarks::open(scratch_.path());
    EXPECT_TRUE(marks) << marks.error().text;
    return std::move(*marks);
  }
  std::string path() const { return scratch_ / "identity.marks"; }
  test::Scratch scratch_;
};

TEST_F(Marks, BeginAtNothing) {
  const auto marks = open();
  EXPECT_EQ(marks.incarnation(), 0u);
  EXPECT_EQ(marks.job_last(), 0u);
  EXPECT_EQ(marks.damage(), "");
}

TEST_F(Marks, KeepTheHighest) {
  {
    auto marks = open();
    marks.use_job(3);  // Before there is a file, it is remembered for it.
    ASSERT_TRUE(marks.raise_incarnation(1'800'000'000));
    marks.use_job(41);
    marks.use_job(7);
  }
  {
    auto marks = open();
    EXPECT_EQ(marks.incarnation(), 1'800'000'000u);
    EXPECT_EQ(marks.job_last(), 41u);
    ASSERT_TRUE(marks.raise_incarnation(5));
    marks.use_job(std::numeric_limits<std::uint32_t>::max());
  }
  EXPECT_EQ(open().incarnation(), 1'800'000'000u);
  EXPECT_EQ(open().job_last(), std::numeric_limits<std::uint32_t>::max());
  EXPECT_THAT(test::file_text(path()), HasSubstr("incarnation 1800000000\n"));
}

TEST_F(Marks, NoticeEveryFlippedBitAndEveryCut) {
  {
    auto marks = open();
    ASSERT_TRUE(marks.raise_incarnation(1'800'000'000));
    marks.use_job(41);
  }
  const std::string good = test::file_text(path());
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    test::write_file(path(), bad);
    const auto marks = open();
    // The case of a hex digit of the checksum is no number.
    if (marks.damage().empty()) {
      EXPECT_EQ(marks.incarnation(), 1'800'000'000u) << bit;
      EXPECT_EQ(marks.job_last(), 41u) << bit;
      continue;
    }
    EXPECT_EQ(marks.incarnation(), 0u);
    EXPECT_THAT(marks.damage(), HasSubstr(path()));
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    test::write_file(path(), good.substr(0, size));
    EXPECT_NE(open().damage(), "") << size;
  }
  test::write_file(path(), std::string(100'000, 'x'));
  EXPECT_NE(open().damage(), "");
  ASSERT_TRUE(open().raise_incarnation(9));
  EXPECT_EQ(open().incarnation(), 9u) << "it is made anew";
}

TEST_F(Marks, SayWhyTheyCannotBeWritten) {
  auto marks = IdentityMarks::open("/nonexistent/dunlin");
  ASSERT_TRUE(marks);
  const auto written = marks->raise_incarnation(1);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().text, HasSubstr("/nonexistent/dunlin"));
}

TEST(Incarnation, IsLaterThanAllAndNotBeforeTheClock) {
  EXPECT_EQ(incarnation_after(0, 1'800'000'000).value(), 1'800'000'000u);
  EXPECT_EQ(incarnation_after(5, 1'800'000'000).value(), 1'800'000'000u);
  EXPECT_EQ(incarnation_after(1'800'000'000, 1'800'000'000).value(), 1'800'000'001u);
  EXPECT_EQ(incarnation_after(1'900'000'000, 1'800'000'000).value(), 1'900'000'001u)
      << "a clock that was put back";
  EXPECT_EQ(incarnation_after(0, -5).value(), 1u) << "a clock before 1970";
  EXPECT_EQ(incarnation_after(0, std::int64_t{1} << 40).value(), 0xffffffffu);
  const auto none = incarnation_after(0xffffffff, 1'800'000'000);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text, HasSubstr("dunlin identity --new"));
}

}  // namespace
}  // namespace dunlin::node
