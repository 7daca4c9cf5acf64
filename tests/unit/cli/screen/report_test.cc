// SPDX-License-Identifier: MIT
#include "tools/dunlin/screen/report.h"

#include <cerrno>
#include <gtest/gtest.h>

namespace dunlin::cli {
namespace {

// "could not start: Success" was printed of a start that failed without an errno.
TEST(Report, AStartThatFailedNamesTheCause) {
  const Json without = {{"outcome", "spawn_failed"}, {"status", 0}};
  EXPECT_EQ(outcome_text(without), "could not start");
  const Json with_errno = {{"outcome", "spawn_failed"}, {"status", EAGAIN}};
  EXPECT_EQ(outcome_text(with_errno), "could not start: Resource temporarily unavailable");
  const Json told = {
      {"outcome", "spawn_failed"}, {"status", EROFS}, {"detail", "cannot make /x: Read-only"}};
  EXPECT_EQ(outcome_text(told), "could not start") << "callers add the detail";
}

}  // namespace
}  // namespace dunlin::cli
