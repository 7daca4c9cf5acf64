// SPDX-License-Identifier: MIT
#include "sim/workload/trace_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <vector>

#include "sim/workload/trace_workload.h"
#include "tests/unit/sim/equal_machines.h"
#include "tests/unit/sim/swf_trace.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

class TermsOfTraces : public ::testing::Test {
 protected:
  std::vector<Submission> read(const std::vector<SwfJob>& jobs) {
    const SwfTrace trace(jobs);
    auto opened = open(trace);
    std::vector<Submission> submissions;
    EXPECT_TRUE(opened) << opened.error().text;
    while (opened) {
      auto next = opened->next();
      if (!next) break;
      submissions.push_back(*std::move(next));
    }
    return submissions;
  }
  Result<TraceWorkload> open(const SwfTrace& trace) {
    params.data = trace.folder();
    params.file = SwfTrace::kFile;
    return TraceWorkload::open({.params = params,
        .kind = WorkloadKind::swf,
        .machines = equal_machines(4, 1000),
        .demand = {.cpu = 1000, .memory = 0, .custom = {}},
        .first_job = Time{5s},
        .seed = seed});
  }

  TraceParams params;
  std::uint64_t seed = 1;
};

/// A hundred jobs: job i, from 0, comes at 10 i s and is of user i.
std::vector<SwfJob> hundred() {
  std::vector<SwfJob> jobs;
  for (int i = 0; i < 100; ++i) jobs.push_back({.submit = 10 * i, .run = i + 1, .user = i});
  return jobs;
}

TEST_F(TermsOfTraces, ASampleIsConsecutiveFromAStartByChance) {
  params.sample = 0.1;
  std::set<Duration> starts;
  for (seed = 1; seed <= 20; ++seed) {
    const auto jobs = read(hundred());
    ASSERT_EQ(jobs.size(), 10u);
    EXPECT_EQ(jobs.front().at, Time{5s}) << "time counts from its first job";
    for (std::size_t i = 1; i < jobs.size(); ++i) {
      EXPECT_EQ(jobs[i].facts.longest, jobs[i - 1].facts.longest + 1s);
      EXPECT_EQ(jobs[i].at, jobs[i - 1].at + 10s);
    }
    starts.insert(jobs.front().facts.longest);
  }
  EXPECT_GT(starts.size(), 10u);
}

TEST_F(TermsOfTraces, TheStartOfASampleCanBeNamed) {
  params.sample = 0.1;
  params.start = 91;
  const auto jobs = read(hundred());
  ASSERT_EQ(jobs.size(), 10u);
  EXPECT_EQ(jobs.front().facts.longest, 91s);
  params.start = 101;
  const SwfTrace trace(hundred());
  const auto none = open(trace);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::usage);
  EXPECT_THAT(none.error().text, ::testing::HasSubstr("has 100 jobs"));
}

TEST_F(TermsOfTraces, EachRunMayHaveATraceOfBlocksOfItsOwn) {
  params.resample_block = 10;
  std::set<std::vector<Duration>> traces;
  for (seed = 1; seed <= 20; ++seed) {
    const auto jobs = read(hundred());
    ASSERT_EQ(jobs.size(), 100u);
    EXPECT_EQ(jobs.front().at, Time{5s}) << "time counts from its first job";
    EXPECT_EQ(jobs.back().at, Time{995s}) << "all gaps are of 10 s";
    std::vector<Duration> lengths;
    for (const Submission& job : jobs) lengths.push_back(job.facts.longest);
    traces.insert(lengths);
  }
  EXPECT_EQ(traces.size(), 20u);
}

TEST_F(TermsOfTraces, RunTimesAndGapsAreScaledApart) {
  params.run_scale = 0.001;
  params.time_scale = 0.1;
  const auto jobs = read({{.submit = 0, .run = 500}, {.submit = 300, .run = 2000}});
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[1].at, Time{35s});
  EXPECT_EQ(jobs[0].facts.longest, 500ms);
  EXPECT_EQ(jobs[1].facts.longest, 2s);
  // 2.5 s of work on 4 slots in 30 s.
  const SwfTrace trace({{.submit = 0, .run = 500}, {.submit = 300, .run = 2000}});
  EXPECT_NEAR(open(trace)->offered_load(), 2.5 / 4 / 30, 1e-9);
}

TEST_F(TermsOfTraces, WhatComesWithinASecondOfAJobComesWithIt) {
  params.batch = 1s;
  params.time_scale = 0.1;
  const auto jobs = read({{.submit = 0}, {.submit = 9}, {.submit = 10}, {.submit = 19},
      {.submit = 21}, {.submit = 50}});
  std::vector<Time> at;
  for (const Submission& each : jobs) at.push_back(each.at);
  EXPECT_EQ(
      at, (std::vector<Time>{Time{5s}, Time{5s}, Time{6s}, Time{6s}, Time{7100ms}, Time{10s}}));
}

// Section 6.3.1: twice the run time for less than 4 tasks, else 2 × run time × tasks / 4.
TEST_F(TermsOfTraces, DeadlinesAreTwiceTheRunTimeOnFourSlots) {
  params.deadline_factor = 2;
  const auto jobs = read({{.run = 10, .processors = 1}, {.run = 10, .processors = 3},
      {.run = 10, .processors = 4}, {.run = 10, .processors = 10}});
  std::vector<Duration> deadlines;
  for (const Submission& each : jobs) deadlines.push_back(each.job.deadline.value());
  EXPECT_EQ(deadlines, (std::vector<Duration>{20s, 20s, 20s, 50s}));
  params.deadline_factor = 0;
  EXPECT_FALSE(read({{.run = 10}}).front().job.deadline);
}

// Section 6.3.1: a priority for each user, the higher the fewer jobs; below 100.
TEST_F(TermsOfTraces, UsersOfFewerJobsHaveHigherPriorities) {
  params.priority_by_user = true;
  const auto jobs = read(
      {{.user = 7}, {.user = 7}, {.user = 7}, {.user = 8}, {.user = 8}, {.user = 9}, {.user = 5}});
  std::vector<std::int16_t> priorities;
  for (const Submission& each : jobs) priorities.push_back(each.job.groups.front().priority);
  EXPECT_EQ(priorities, (std::vector<std::int16_t>{1, 1, 1, 50, 50, 99, 99}));
  EXPECT_EQ(
      read({{.user = 7}, {.user = -1}})[1].job.groups.front().priority, sched::kPriorityDefault);
  EXPECT_EQ(priorities_of({{1, 5}, {2, 5}}).at(1), sched::kPriorityDefault);
}

}  // namespace
}  // namespace dunlin::sim
