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

// "command not found (command 'mkae' not found)" was printed.
TEST(Report, ADetailThatSaysItAllStandsAlone) {
  const auto text_of = [](const char* outcome, const char* detail) {
    const Json task = {{"outcome", outcome}, {"status", 1}, {"detail", detail}};
    return ending_text(task, outcome_text(task));
  };
  EXPECT_EQ(text_of("not_found", "command 'mkae' not found"), "command 'mkae' not found");
  EXPECT_EQ(text_of("not_executable", "cannot execute '/etc/passwd': Permission denied"),
      "cannot execute '/etc/passwd': Permission denied");
  EXPECT_EQ(text_of("not_found", ""), "command not found");
  EXPECT_EQ(text_of("spawn_failed", "cannot make /x"), "could not start (cannot make /x)");
  EXPECT_EQ(text_of("exited", ""), "exit 1");
}

}  // namespace
}  // namespace dunlin::cli
