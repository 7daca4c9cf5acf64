// SPDX-License-Identifier: MIT
#include "sched/usage/usage.h"

#include <chrono>
#include <gtest/gtest.h>
#include <limits>

#include "sched/usage/usage_table.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

constexpr PeerId kWorker{9};
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
/// The first moment of an hour.
constexpr std::int64_t kWallNow = 473'000 * kNsPerHour;

Job job_of(const Resources& demand) {
  Job job{.id = {.home = {7}, .number = 1, .lineage = 5}, .submitted_at = kWallNow - kNsPerHour};
  job.owner = "anna";
  job.service_class = "gold";
  job.groups = {{.count = 3, .demand = demand}};
  return job;
}

Report ended(Outcome outcome, std::int32_t status = 0) {
  return {.index = 1,
      .attempt = 2,
      .outcome = outcome,
      .status = status,
      .wall = 2s,
      .cpu = 1500ms,
      .started_at = kWallNow - 5'000'000'000};
}

TEST(Usage, AnAttemptHoldsItsDemandForItsTime) {
  const Resources demand{.cpu = 1250, .memory = 64, .custom = {{"gpu", 2}, {"tape", 1}}};
  const UsageSums used = usage_of(ended(Outcome::exited), true, demand);
  EXPECT_EQ(used,
      (UsageSums{.tasks = 1,
          .cpu_used = 1'500'000,
          .cpu_held = 2'500'000,
          .memory_held = 64 * 2000,
          .gpu_held = 2 * 2000}));
}

TEST(Usage, WhatCameToNothingIsWasted) {
  const Resources demand{.cpu = 500};
  const UsageSums failed = usage_of(ended(Outcome::exited, 3), false, demand);
  EXPECT_EQ(failed.tasks, 0) << "it is made again";
  EXPECT_EQ(failed.failed, 1);
  EXPECT_EQ(failed.cpu_wasted, 1'000'000);
  const UsageSums preempted = usage_of(ended(Outcome::preempted), false, demand);
  EXPECT_EQ(preempted.preempted, 1);
  EXPECT_EQ(preempted.failed, 0);
  EXPECT_EQ(preempted.cpu_wasted, 1'000'000);
  Report interrupted = ended(Outcome::spawn_failed);
  interrupted.cause = Cause::lost;
  const UsageSums lost = usage_of(interrupted, false, demand);
  EXPECT_EQ(lost.lost, 1);
  EXPECT_EQ(lost.cpu_wasted, 1'000'000);
  const UsageSums killed = usage_of(ended(Outcome::killed), true, demand);
  EXPECT_EQ(killed.cpu_held, 1'000'000);
  EXPECT_EQ(killed.cpu_wasted, 0) << "its user wanted it to end";
}

TEST(Usage, WhatIsTooMuchIsTheGreatestNumber) {
  Report report = ended(Outcome::exited);
  report.wall = Duration::max();
  const Resources demand{.cpu = 1'000'000'000,
      .memory = std::numeric_limits<std::uint32_t>::max(),
      .custom = {{"gpu", std::numeric_limits<std::uint32_t>::max()}}};
  UsageSums used = usage_of(report, true, demand);
  EXPECT_EQ(used.memory_held, kMax);
  EXPECT_EQ(used.gpu_held, kMax);
  UsageSums twice = used;
  add(twice, used);
  EXPECT_EQ(twice.memory_held, kMax);
  report.wall = -1s;
  report.cpu = -1s;
  used = usage_of(report, true, demand);
  EXPECT_EQ(used, (UsageSums{.tasks = 1})) << "a worker that says less than nothing";
}

TEST(Usage, ATimeIsThatOfTheWorkerWithinReason) {
  const Job job = job_of({.cpu = 1000});
  Report report = ended(Outcome::exited);
  EXPECT_EQ(ended_at(job, report, kWallNow), kWallNow - 3'000'000'000);
  EXPECT_EQ(usage_of_end(job, report, kWorker, true, {}, kWallNow).row.key.hour, 472'999)
      << "it ended in the hour before";
  report.started_at = 0;
  EXPECT_EQ(ended_at(job, report, kWallNow), kWallNow);
  report.started_at = kWallNow * 2;
  EXPECT_EQ(ended_at(job, report, kWallNow), kWallNow) << "a clock that is ahead";
  report.started_at = 1;
  EXPECT_EQ(ended_at(job, report, kWallNow), job.submitted_at) << "a clock that is behind";
  report.started_at = kMax;
  report.wall = Duration::max();
  EXPECT_EQ(ended_at(job, report, kMax), kMax);
  EXPECT_EQ(hour_of(-1), 0);
  EXPECT_EQ(wall_after(job, 1h), kWallNow);
}

TEST(Usage, ALossThatWasNoneIsTakenBack) {
  const Job job = job_of({.cpu = 1000});
  UsageNote loss = usage_of_loss(job, {.index = 1, .attempt = 2}, kWallNow);
  EXPECT_EQ(loss.row.key,
      (UsageKey{.hour = 473'000, .home = {7}, .user = "anna", .service_class = "gold"}));
  EXPECT_TRUE(settle(loss, false));
  EXPECT_EQ(loss.row.sums.lost, 1);
  UsageNote again = usage_of_loss(job, {.index = 1, .attempt = 2}, kWallNow);
  EXPECT_FALSE(settle(again, true)) << "the same attempt was lost twice";
  UsageNote end = usage_of_end(job, ended(Outcome::exited), kWorker, true, {.cpu = 1000}, kWallNow);
  EXPECT_TRUE(settle(end, true));
  EXPECT_EQ(end.row.sums.lost, -1);
  EXPECT_EQ(end.row.sums.tasks, 1);
}

TEST(Usage, WhatNeverRanAddsNothing) {
  const Job job = job_of({.cpu = 1000});
  UsageNote cancelled =
      usage_of_end(job, ended(Outcome::killed), PeerId{}, true, {.cpu = 1000}, kWallNow);
  EXPECT_EQ(cancelled.attempt.attempt, 0u);
  EXPECT_FALSE(settle(cancelled, false));
  EXPECT_FALSE(settle(cancelled, true));
  UsageNote submit = usage_of_submit(job);
  EXPECT_TRUE(settle(submit, false));
  EXPECT_EQ(submit.row.sums, (UsageSums{.jobs = 1}));
  EXPECT_EQ(submit.row.key.hour, 472'999);
}

TEST(Usage, ATableAddsUpByItsKeys) {
  UsageTable table;
  const UsageRow row{.key = {.hour = 1, .home = {7}, .user = "anna", .service_class = ""},
      .sums = {.tasks = 2, .cpu_used = 10}};
  table.add(row);
  table.add(row);
  UsageRow other = row;
  other.key.hour = 2;
  table.add(other);
  ASSERT_EQ(table.rows().size(), 2u);
  EXPECT_EQ(table.rows().at(row.key), (UsageSums{.tasks = 4, .cpu_used = 20}));
  EXPECT_EQ(table.total(), (UsageSums{.tasks = 6, .cpu_used = 30}));
}

}  // namespace
}  // namespace dunlin::sched
