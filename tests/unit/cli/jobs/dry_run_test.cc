// SPDX-License-Identifier: MIT
#include "tools/dunlin/jobs/dry_run.h"

#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>

#include "tests/support/scratch.h"

namespace dunlin::cli {
namespace {

// Tasks ran in "/", and files that they named went there.
TEST(CurrentDirectory, ThatIsGoneIsAUsageError) {
  const auto before = std::filesystem::current_path();
  const test::Scratch scratch;
  const std::string gone = scratch / "gone";
  std::filesystem::create_directory(gone);
  std::filesystem::current_path(gone);
  EXPECT_EQ(current_directory().value(), std::filesystem::canonical(gone).string());
  std::filesystem::remove(gone);
  const auto here = current_directory();
  std::filesystem::current_path(before);
  ASSERT_FALSE(here);
  EXPECT_EQ(here.error().kind, ErrorKind::usage);
  EXPECT_THAT(here.error().text, ::testing::HasSubstr("No such file or directory"));
}

// It was silent on all of these.
TEST(DryRun, SaysWhatBecomesOfTheJob) {
  using ::testing::ElementsAre;
  JobRequest request;
  EXPECT_THAT(fate_lines(request), ElementsAre());
  request.held = true;
  request.past_deadline = "cancel";
  request.on_preempt = "checkpoint";
  request.checkpoint_signal = SIGUSR2;
  request.checkpoint_time = std::chrono::seconds(90);
  EXPECT_THAT(fate_lines(request),
      ElementsAre("when late   it is cancelled",
          "hold        it starts no task before it is released",
          "on preempt  checkpoint: its tasks run again", "checkpoint  signal USR2, then 1m30s"));
  request.checkpoint_signal = 0;
  request.checkpoint_time = {};
  EXPECT_EQ(fate_lines(request).back(), "checkpoint  signal USR1, then 30s");
  request.comment = "third try";
  request.labels = {{.key = "team", .value = "a"}};
  EXPECT_EQ(fate_lines(request)[0], "comment     third try");
  EXPECT_EQ(fate_lines(request)[1], "label       team=a");
  request.begin = std::chrono::hours(3);
  EXPECT_EQ(fate_lines(request)[3], "begins      in 3h00m");
  request.rerun = "never";
  request.on_preempt.clear();
  EXPECT_EQ(
      fate_lines(request).back(), "rerun       never: a task whose attempt is lost ends as lost");
  request.on_preempt = "never";
  EXPECT_EQ(fate_lines(request).back(), "on preempt  never: its tasks are not stopped for others");
}

}  // namespace
}  // namespace dunlin::cli
