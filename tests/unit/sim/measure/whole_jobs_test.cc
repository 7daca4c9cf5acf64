// SPDX-License-Identifier: MIT
#include "sim/measure/whole_jobs.h"

#include <gtest/gtest.h>

#include "sim/measure/recorder.h"
#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Time since_start(Duration since) {
  return Time{since};
}

constexpr JobFacts kStage{.whole = 5, .stages = 2, .whole_tasks = 30};

TEST(WholeJobs, AStageThatNeverCameLeavesItsJobUnfinished) {
  WholeJobs jobs;
  jobs.on_arrival(since_start(1s), kStage, 20);
  jobs.on_finish(5, since_start(9s));
  EXPECT_TRUE(jobs.finished().empty()) << "the reduces were never submitted";
  EXPECT_TRUE(jobs.makespan(since_start(20s)).at_least);
  EXPECT_EQ(jobs.makespan(since_start(20s)).time, 19s) << "it would have been longer";
  jobs.on_arrival(since_start(1s), kStage, 10);
  jobs.on_finish(5, since_start(12s));
  ASSERT_EQ(jobs.finished().size(), 1u);
  EXPECT_EQ(jobs.finished().front().tasks, 30u);
  EXPECT_EQ(jobs.finished().front().completion(), 11s);
  EXPECT_FALSE(jobs.makespan(since_start(20s)).at_least);
  EXPECT_EQ(jobs.makespan(since_start(20s)).time, 11s);
}

// A reduce is submitted when its maps end, perhaps after the window: it belongs to its job.
TEST(WholeJobs, StagesThatComeLateBelongToTheirJob) {
  Recorder recorder{{.from = since_start(0s), .until = since_start(10s)}, equal_machines(1, 4000)};
  JobFacts facts = kStage;
  facts.arrived = since_start(2s);
  const sched::JobId maps{.home = {1}, .number = 1}, reduces{.home = {1}, .number = 2};
  recorder.on_submit(since_start(2s), maps, 20, facts);
  recorder.on_end(since_start(8s), maps, 0, true);
  recorder.on(since_start(8s), sched::JobFinished{.job = maps, .succeeded = 20});
  EXPECT_TRUE(whole_jobs_of(recorder).finished().empty());
  recorder.on_submit(since_start(15s), reduces, 10, facts);
  recorder.on_end(since_start(18s), reduces, 0, true);
  recorder.on(since_start(18s), sched::JobFinished{.job = reduces, .succeeded = 10});
  ASSERT_EQ(whole_jobs_of(recorder).finished().size(), 1u);
  EXPECT_EQ(whole_jobs_of(recorder).finished().front().completion(), 16s);
}

TEST(WholeJobs, ARefusedJobIsOneThatDidNotEnd) {
  Recorder recorder{{.from = since_start(0s), .until = since_start(10s)}, equal_machines(1, 4000)};
  recorder.on_refusal(since_start(3s), kStage, "no room");
  EXPECT_EQ(whole_jobs_of(recorder).count(), 1u);
  EXPECT_TRUE(whole_jobs_of(recorder).finished().empty());
}

}  // namespace
}  // namespace dunlin::sim
