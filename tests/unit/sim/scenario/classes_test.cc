// SPDX-License-Identifier: MIT
#include "sim/scenario/classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/ledger/cell_books.h"
#include "sim/measure/class_meter.h"
#include "sim/workload/class_workload.h"
#include "sim/workload/trace_format.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<WorkloadClass> three(const std::string& pauses = "") {
  ClassParams params;
  params.shares = "web=5, batch=3,test=2";
  params.pauses = pauses;
  const auto classes = classes_of(params);
  EXPECT_TRUE(classes) << classes.error().text;
  return *classes;
}

std::string complaint(const ClassParams& params) {
  const auto classes = classes_of(params);
  return classes ? "none" : classes.error().text;
}

TEST(Classes, HaveNamesAndShares) {
  const auto classes = three();
  ASSERT_EQ(classes.size(), 3u);
  EXPECT_EQ(classes[1].name, "batch");
  EXPECT_EQ(classes[1].share, 3);
  EXPECT_TRUE(sched::validate(table_of(classes)));
  EXPECT_THAT(
      desired_of(classes, Time{0s}), ElementsAre(DoubleEq(0.5), DoubleEq(0.3), DoubleEq(0.2)));
  EXPECT_TRUE(classes_of(ClassParams{})->empty());
}

TEST(Classes, WhoPausesLeavesItsShareToOthers) {
  const auto classes = three("batch 10s 20s, batch 20s 30s, web 40s 50s");
  EXPECT_TRUE(classes[1].wants(Time{9s}));
  EXPECT_FALSE(classes[1].wants(Time{10s}));
  EXPECT_EQ(classes[1].wants_from(Time{15s}), Time{30s});
  EXPECT_EQ(classes[1].wants_from(Time{30s}), Time{30s});
  EXPECT_THAT(desired_of(classes, Time{10s}),
      ElementsAre(DoubleEq(5.0 / 7), DoubleEq(0), DoubleEq(2.0 / 7)));
}

TEST(Classes, MayBeAtOneFrontend) {
  const auto classes = classes_of({.shares = "web=5, batch=3", .at = "batch=2"});
  ASSERT_TRUE(classes) << classes.error().text;
  EXPECT_EQ((*classes)[0].at, std::nullopt);
  EXPECT_EQ((*classes)[1].at, 2u);
  EXPECT_THAT(complaint({.shares = "web=1", .at = "test=1"}), HasSubstr("test has no share"));
  EXPECT_THAT(complaint({.shares = "web=1", .at = "web=.5"}), HasSubstr("names no frontend"));
}

TEST(Classes, MistakesAreNamed) {
  EXPECT_THAT(complaint({.shares = "web"}), HasSubstr("classes.shares: 'web' is not like web=5"));
  EXPECT_THAT(complaint({.shares = "web=0"}), HasSubstr("web needs a share"));
  EXPECT_THAT(complaint({.shares = "web=1,web=2"}), HasSubstr("twice"));
  EXPECT_THAT(complaint({.shares = "We b=1"}), HasSubstr("no name of a class"));
  EXPECT_THAT(complaint({.shares = "web=1", .jobs = "test=1"}), HasSubstr("test has no share"));
  EXPECT_THAT(complaint({.shares = "web=1", .pauses = "web 9s 3s"}), HasSubstr("classes.pauses"));
  EXPECT_THAT(complaint({.shares = "web=1", .pauses = "test 1s 3s"}), HasSubstr("classes.pauses"));
}

TEST(Classes, TheMeterAddsUpWhatRuns) {
  const auto classes = three();
  ClassMeter meter(classes);
  meter.change(Time{1s}, classes[0].id, 2000);
  meter.change(Time{2s}, classes[2].id, 1000);
  meter.change(Time{2s}, 12345, 1000);
  meter.change(Time{4s}, classes[0].id, -2000);
  EXPECT_THAT(meter.total(Time{5s}), ElementsAre(DoubleEq(6), DoubleEq(0), DoubleEq(3)));
}

TEST(Classes, DemandAnswersToJobsThatEnd) {
  WorkloadParams params;
  params.tasks_per_job = 3;
  params.first_job = 5s;
  ClassWorkload workload(params, three("batch 10s 20s"), 2, 4, Time{60s}, Rng{1});
  std::vector<Submission> begun;
  while (auto next = workload.next()) begun.push_back(*std::move(next));
  ASSERT_EQ(begun.size(), 3u * 2 * 4);
  EXPECT_TRUE(workload.goes_on());
  for (std::size_t i = 1; i < begun.size(); ++i) EXPECT_LE(begun[i - 1].at, begun[i].at);
  const Submission& batch = begun[2];
  EXPECT_EQ(batch.job.service_class, "batch");
  EXPECT_EQ(batch.job.task_count(), 3u);
  const auto at_once = workload.after(batch.facts.key, Time{9s});
  ASSERT_TRUE(at_once);
  EXPECT_EQ(at_once->at, Time{9s});
  EXPECT_EQ(at_once->job.service_class, "batch");
  EXPECT_EQ(at_once->frontend, batch.frontend);
  EXPECT_EQ(workload.after(batch.facts.key, Time{12s})->at, Time{20s});
  EXPECT_FALSE(workload.after(batch.facts.key, Time{60s}));
  EXPECT_EQ(workload.again(3, Time{1s}).size(), 6u);
}

TEST(Classes, RequestsAreReadFromATrace) {
  const auto format = trace_format(WorkloadKind::requests, {});
  std::vector<TraceJob> jobs;
  EXPECT_TRUE(format->read("# when class how_long", jobs));
  EXPECT_TRUE(format->read("1.5 web 0.25", jobs));
  EXPECT_TRUE(format->read("2 batch 3 10", jobs));
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].at, 1500ms);
  EXPECT_EQ(jobs[0].service_class, "web");
  EXPECT_THAT(jobs[0].durations, ElementsAre(250ms));
  EXPECT_EQ(jobs[1].tasks, 10u);
  EXPECT_FALSE(format->read("2 batch", jobs));
  EXPECT_FALSE(format->read("2 ba/tch 1", jobs));
  EXPECT_FALSE(format->read("2 batch 1 1 1", jobs));
  EXPECT_EQ(jobs.size(), 2u);
}

}  // namespace
}  // namespace dunlin::sim
