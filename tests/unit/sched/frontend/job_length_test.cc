// SPDX-License-Identifier: MIT
#include "sched/frontend/job_length.h"

#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/now.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using test::kNow;

const Endpoint kWorkerSeven{.id = {7}, .address = {}};

JobState with(std::uint32_t count, Duration duration = {}) {
  Job job = test::job(count);
  job.id = {.home = {99}, .number = 1};
  job.groups[0].duration = duration;
  return JobState(std::move(job), kNow);
}

Attempt bind(JobState& job) {
  return *job.bind(0, kWorkerSeven, 1, kNow);
}

void end(JobState& job, const Attempt& attempt, std::int32_t status, Duration wall) {
  const Report report{.index = attempt.index,
      .attempt = attempt.attempt,
      .outcome = Outcome::exited,
      .status = status,
      .wall = wall};
  ASSERT_TRUE(job.end(report, kWorkerSeven.id, kNow));
}

TEST(JobLength, TasksTakeAsLongAsThoseThatSucceeded) {
  JobState job = with(3, 7s);
  EXPECT_EQ(task_time(job, 0, kNow, 1s), 7s);
  EXPECT_EQ(work_left(job, kNow, 1s), 21s);
  end(job, bind(job), 0, 3s);
  end(job, bind(job), 1, 60s);
  EXPECT_EQ(task_time(job, 0, kNow, 1s), 3s);
  EXPECT_EQ(work_left(job, kNow, 1s), 3s) << "one waits";
}

TEST(JobLength, LaterStagesCountButDoNotHoldUpThePilot) {
  Job job = test::job(2);
  job.id = {.home = {99}, .number = 1};
  job.groups.push_back(test::tasks(10));
  job.groups[1].after = {0};
  JobState state(std::move(job), kNow);
  EXPECT_EQ(work_left(state, kNow, 20s), 4s) << "one task each of a tenth of the mean";
  const Attempt pilot = bind(state);
  EXPECT_EQ(work_left(state, kNow, 20s), 20s + 200s);
  end(state, pilot, 0, 3s);
  EXPECT_EQ(work_left(state, kNow, 20s), 3s + 200s);
  end(state, bind(state), 0, 3s);
  EXPECT_EQ(work_left(state, kNow, 20s), 2s) << "the stage has a pilot of its own";
}

TEST(JobLength, APilotTellsTheLengthThatTheUserDidNot) {
  JobState job = with(100);
  EXPECT_EQ(task_time(job, 0, kNow, 20s), 2s) << "a tenth of the mean, ...";
  EXPECT_EQ(work_left(job, kNow, 20s), 2s) << "... and one task alone: it goes first";
  const Attempt pilot = bind(job);
  EXPECT_EQ(task_time(job, 0, kNow + 5s, 20s), 20s) << "the others wait for it ...";
  EXPECT_EQ(work_left(job, kNow + 5s, 20s), 99 * 20s);
  EXPECT_EQ(task_time(job, 0, kNow + 60s, 20s), 60s) << "... as the longer the longer it runs";
  end(job, pilot, 0, 90s);
  EXPECT_EQ(task_time(job, 0, kNow + 90s, 20s), 90s);
}

TEST(JobLength, APilotThatIsLostIsReplaced) {
  JobState job = with(2);
  bind(job);
  job.lose(0, kNow + 60s);
  EXPECT_EQ(task_time(job, 0, kNow + 60s, 20s), 2s);
  job.bind(0, kWorkerSeven, 1, kNow + 70s);
  EXPECT_EQ(task_time(job, 0, kNow + 75s, 20s), 20s) << "its age counts from the second start";
}

}  // namespace
}  // namespace dunlin::sched
