// SPDX-License-Identifier: MIT
#include "sched/frontend/submit_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::sched {
namespace {

using ::testing::HasSubstr;

Job job_of(TaskGroup group) {
  Job job;
  job.groups.push_back(std::move(group));
  return job;
}

TEST(JobCheck, AJobOfOneTaskIsFine) {
  EXPECT_TRUE(check_job(job_of({})));
}

TEST(JobCheck, AJobNeedsTasks) {
  EXPECT_THAT(check_job(Job{}).error().text, HasSubstr("no tasks"));
  EXPECT_THAT(check_job(job_of({.count = 0})).error().text, HasSubstr("count is 0"));
}

TEST(JobCheck, AGroupIsNamed) {
  const auto checked = check_job(job_of({.name = "web", .priority = 101}));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::usage);
  EXPECT_EQ(checked.error().text, "group web: priority must be 0 to 100");
}

TEST(JobCheck, TasksOfAllGroupsAreCountedTogether) {
  Job job = job_of({.count = kJobTasksMax});
  EXPECT_TRUE(check_job(job));
  job.groups.push_back({.count = 1});
  EXPECT_THAT(check_job(job).error().text, HasSubstr("holds at most"));
}

TEST(JobCheck, TimesAreNotNegative) {
  EXPECT_FALSE(check_job(job_of({.time_limit = Duration{-1}})));
  EXPECT_FALSE(check_job(job_of({.duration = Duration{-1}})));
}

TEST(JobCheck, WhatNeverRunsTwiceHasNoRetriesAndNeverYields) {
  Job job = job_of({});
  job.rerun = Rerun::never;
  EXPECT_THAT(check_job(job).error().text, HasSubstr("on_preempt must be never"));
  job.on_preempt = OnPreempt::suspend;
  EXPECT_FALSE(check_job(job));
  job.on_preempt = OnPreempt::never;
  EXPECT_TRUE(check_job(job));
  job.groups[0].retries = 1;
  EXPECT_THAT(check_job(job).error().text, HasSubstr("rerun says never"));
}

TEST(JobCheck, AJobBeforeItMustFailOrMayEndInAnyWay) {
  Job job = job_of({});
  job.after_jobs = {{.any = true}, {.failed = true}};
  EXPECT_TRUE(check_job(job));
  job.after_jobs[0].failed = true;
  EXPECT_THAT(check_job(job).error().text, HasSubstr("must fail, and may end in any way"));
}

TEST(JobCheck, AJobBeforeItNeedOnlyHaveBegun) {
  Job job = job_of({});
  job.after_jobs = {{.begun_for = std::chrono::minutes(10)}};
  EXPECT_TRUE(check_job(job));
  job.after_jobs[0].any = true;
  EXPECT_THAT(check_job(job).error().text, HasSubstr("must begin, and also for how it ends"));
  job.after_jobs = {{.begun_for = kTaskTimeMax + std::chrono::seconds(1)}};
  EXPECT_THAT(check_job(job).error().text, HasSubstr("more than ten years"));
}

TEST(JobCheck, AJobBeginsBeforeItsDeadline) {
  Job job = job_of({});
  job.begin = std::chrono::hours(2);
  EXPECT_TRUE(check_job(job));
  job.deadline = std::chrono::hours(2);
  EXPECT_THAT(check_job(job).error().text, HasSubstr("begin when its deadline has passed"));
  job.deadline.reset();
  job.begin = kTaskTimeMax + Duration{1};
  EXPECT_THAT(check_job(job).error().text, HasSubstr("more than ten years"));
}

TEST(JobCheck, LabelsAndCommentHaveBounds) {
  Job job = job_of({});
  job.comment = std::string(kCommentMax, 'x');
  job.labels = {{.key = "team", .value = "a"}};
  EXPECT_TRUE(check_job(job));
  job.labels = {{.key = "team", .value = ""}};
  EXPECT_THAT(check_job(job).error().text, HasSubstr("'team' is no label"));
  job.labels.clear();
  job.comment += 'x';
  EXPECT_THAT(check_job(job).error().text, HasSubstr("a comment of 1024 bytes"));
}

// With frontend.replicas = 1 every gang was refused, for replicas that its user had not asked for.
TEST(JobCheck, ADefaultOfReplicasIsNoneForGangs) {
  Job job = job_of({.count = 2, .gang = true});
  raise_replicas(job, 2, 1);
  EXPECT_EQ(job.replicas, 0);
  EXPECT_EQ(job.replicas_required, 0);
  EXPECT_TRUE(check_needs(job, true, true));
  job.replicas = 1;  // Its user asks for it.
  EXPECT_THAT(check_needs(job, true, true).error().text, HasSubstr("cannot have one"));

  Job other = job_of({.count = 2});
  raise_replicas(other, 2, 3);
  EXPECT_EQ(other.replicas, 2);
  EXPECT_EQ(other.replicas_required, 2);
}

TEST(JobCheck, AClassMustExist) {
  const books::Classes none;
  const books::Classes known{
      .version = 1, .classes = {{.class_id = 1, .name = "gold"}, {.class_id = 2, .name = "tin"}}};
  EXPECT_TRUE(check_class("", none));
  EXPECT_TRUE(check_class("default", none));
  EXPECT_TRUE(check_class("tin", known));
  const auto unknown = check_class("gild", known);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::refused);
  EXPECT_THAT(unknown.error().text, HasSubstr("there are: gold, tin"));
  EXPECT_THAT(check_class("gild", none).error().text, HasSubstr("there are none"));
  EXPECT_EQ(check_class("No name", known).error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace dunlin::sched
