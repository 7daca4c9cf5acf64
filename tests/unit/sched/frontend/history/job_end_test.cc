// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

#include "sched/frontend/job_changes.h"
#include "sched/frontend/job_state.h"
#include "tests/support/builders.h"
#include "tests/support/now.h"

// What is known of a job that has ended: how, when, and as long as its tasks have records, how each
// of them did.
namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

const Endpoint kAtSeven{.id = {7}, .address = {}};
constexpr std::int64_t kSubmitted = 1'700'000'000'000'000'000;

class JobEndTest : public ::testing::Test {
 protected:
  static JobState submitted(std::uint32_t tasks) {
    Job job = test::job(tasks);
    job.submitted_at = kSubmitted;
    return {std::move(job), kNow};
  }
  /// The next task runs from `begin` to `end`, and ends so.
  static void run(
      JobState& job, Duration begin, Duration end, Outcome outcome, std::int32_t status = 0) {
    const auto bound = job.bind(0, kAtSeven, 1, kNow + begin);
    ASSERT_TRUE(bound);
    ASSERT_TRUE(job.end(
        {.index = bound->index, .attempt = bound->attempt, .outcome = outcome, .status = status},
        kAtSeven.id, kNow + end));
  }
  static EndFacts ended(const JobState& job) { return job.progress().ended.value_or(EndFacts{}); }
};

TEST_F(JobEndTest, AJobThatSucceedsSaysWhenItBeganAndEnded) {
  JobState job = submitted(2);
  EXPECT_EQ(job.begun(), std::nullopt);
  run(job, 2s, 5s, Outcome::exited);
  run(job, 3s, 9s, Outcome::exited);
  EXPECT_EQ(job.begun(), kNow + 2s);
  EXPECT_EQ(job.progress().ended, std::nullopt);
  job.finish(kNow + 9s);
  EXPECT_EQ(ended(job), (EndFacts{.after = 9s, .begun = 2s}));
  EXPECT_EQ(job.finished(), kNow + 9s);
}

TEST_F(JobEndTest, TheStatusIsOfTheFirstThatFailedAndTheWordOfTheWorst) {
  JobState job = submitted(4);
  run(job, 1s, 2s, Outcome::exited, 0);
  run(job, 1s, 2s, Outcome::exited, 3);
  run(job, 1s, 2s, Outcome::out_of_memory, 9);
  run(job, 1s, 2s, Outcome::signalled, 11);
  job.finish(kNow + 2s);
  EXPECT_EQ(ended(job),
      (EndFacts{
          .after = 2s, .begun = 1s, .worst = Outcome::out_of_memory, .exit = 3, .failed = 3}));
}

TEST_F(JobEndTest, ACancelledJobIsNoSuccess) {
  JobState job = submitted(2);
  job.cancel_all();
  job.finish(kNow);
  EXPECT_EQ(ended(job),
      (EndFacts{.after = 1ns, .worst = Outcome::killed, .exit = EXIT_FAILURE, .cancelled = 2}));
  EXPECT_EQ(job.finished(), kNow);
}

TEST_F(JobEndTest, AJobThatGoesOnHasNotEnded) {
  JobState job = submitted(1);
  const Job stored = job.job();
  run(job, 1s, 2s, Outcome::exited, 3);
  job.finish(kNow + 2s);
  job.retry(std::vector<std::uint32_t>{0}, &stored);
  EXPECT_EQ(job.progress().ended, std::nullopt);
  run(job, 5s, 6s, Outcome::exited, 0);
  job.finish(kNow + 6s);
  EXPECT_EQ(ended(job), (EndFacts{.after = 6s, .begun = 1s})) << "the end before is no more";
}

TEST_F(JobEndTest, ARestartDoesNotMoveTheEnd) {
  JobState later = submitted(1);
  const EndFacts before{.after = 9s, .begun = 2s, .exit = 0};
  const std::vector<StoredTask> tasks = {{.index = 0, .finished = true}};
  EXPECT_EQ(later.restore({.ended = before}, tasks, kNow + 1h, kNow + 1h), std::nullopt);
  EXPECT_EQ(later.finished(), kNow + 9s);
  EXPECT_EQ(later.begun(), kNow + 2s);
  EXPECT_EQ(ended(later), before);
}

// Dunlin 0.7 and before did not say when a job ended; its tasks say it by the clocks of workers.
TEST_F(JobEndTest, AStoreOfAnOlderDunlinSaysItByItsTasks) {
  JobState job = submitted(3);
  const std::vector<StoredTask> tasks = {
      {.index = 0, .finished = true, .wall = 4s, .started_at = kSubmitted + 2'000'000'000},
      {.index = 1,
          .finished = true,
          .outcome = Outcome::exited,
          .status = 5,
          .wall = 3s,
          .started_at = kSubmitted + 7'000'000'000},
      {.index = 2, .finished = true, .outcome = Outcome::killed}};
  job.restore({}, tasks, kNow + 1h, kNow + 1h);
  EXPECT_EQ(job.finished(), kNow + 10s);
  EXPECT_EQ(
      ended(job), (EndFacts{.after = 10s, .begun = 2s, .exit = 5, .failed = 1, .cancelled = 1}));
  JobState silent = submitted(1);
  silent.restore({.cancelled = true}, {}, kNow + 1h, kNow + 1h);
  EXPECT_EQ(silent.finished(), kNow + 1h) << "nothing says more";
}

TEST_F(JobEndTest, TimesOfStrangersDoNotOverflow) {
  JobState job = submitted(2);
  const std::vector<StoredTask> tasks = {
      {.index = 0, .finished = true, .wall = Duration::max(), .started_at = INT64_MAX},
      {.index = 1, .finished = true, .wall = Duration::min(), .started_at = INT64_MIN}};
  job.restore({}, tasks, kNow + 1h, kNow + 1h);
  EXPECT_EQ(job.finished(), kNow + 1h);
  JobState other = submitted(1);
  other.restore({.ended = EndFacts{.after = Duration::max(), .begun = Duration::max()}},
      {{.index = 0, .finished = true}}, kNow + 1h, kNow + 1h);
  EXPECT_EQ(other.finished(), kNow + 1h);
  EXPECT_EQ(wall_after(INT64_MAX - 5, 1h), INT64_MAX);
  EXPECT_EQ(wall_after(kSubmitted, 1s), kSubmitted + 1'000'000'000);
}

TEST_F(JobEndTest, OfAPrunedJobTheNumbersAreKept) {
  JobState job = submitted(4);
  run(job, 1s, 2s, Outcome::exited, 0);
  run(job, 1s, 2s, Outcome::signalled, 9);
  job.cancel(2);
  job.cancel(3);
  job.finish(kNow + 2s);
  EXPECT_EQ(job.history_size().tasks, 4 * HistorySize::kTask);
  EXPECT_GT(job.history_size().record, HistorySize::kRecord);
  EXPECT_FALSE(job.pruned());
  const JobProgress kept = job.prune();
  EXPECT_TRUE(kept.ended->pruned);
  EXPECT_EQ(job.history_size().tasks, 0u);

  JobState later = submitted(4);
  later.restore(kept, {}, kNow + 1h, kNow + 1h);
  for (const JobState* each : {&job, &later}) {
    EXPECT_TRUE(each->pruned());
    EXPECT_EQ(each->counts()[TaskState::succeeded], 1u);
    EXPECT_EQ(each->counts()[TaskState::failed], 1u);
    EXPECT_EQ(each->counts()[TaskState::cancelled], 2u);
    EXPECT_EQ(each->counts()[TaskState::waiting], 0u);
    EXPECT_EQ(each->finished(), kNow + 2s);
    EXPECT_EQ(ended(*each).exit, 137);
    const auto again = check_retry(*each, std::vector<std::uint32_t>{1}, kNow + 1h);
    ASSERT_FALSE(again) << "its attempts would be numbered anew";
    EXPECT_EQ(again.error().kind, ErrorKind::conflict);
  }
}

TEST_F(JobEndTest, ARecordThatCountsMoreTasksThanThereAreIsHeldToThem) {
  JobState job = submitted(3);
  job.restore(
      {.ended = EndFacts{.failed = 2, .cancelled = UINT32_MAX, .pruned = true}}, {}, kNow, kNow);
  EXPECT_EQ(job.counts()[TaskState::failed], 2u);
  EXPECT_EQ(job.counts()[TaskState::cancelled], 1u);
  EXPECT_EQ(job.counts()[TaskState::succeeded], 0u);
}

// Tasks that ran but are equal take no room each: see TaskTable.
TEST_F(JobEndTest, ALargeJobIsCountedByRuns) {
  JobState job = submitted(1'000'000);
  job.cancel_all();
  job.finish(kNow + 1s);
  EXPECT_EQ(ended(job).cancelled, 1'000'000u);
  EXPECT_EQ(job.history_size().tasks, 0u) << "none of them has a record";
}

}  // namespace
}  // namespace dunlin::sched
