// SPDX-License-Identifier: MIT
#include "sched/frontend/packing/extent.h"

#include <limits>

#include "tests/support/own_job.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Extent;
using sched::ExtentNews;
using sched::JobState;
using sched::Time;

class ExtentTest : public OwnJob {
 protected:
  /// Ten tasks of a CPU for 2 s, and four of half a CPU and a GPU for 1 s.
  static sched::Job two_groups() {
    sched::Job job = job_of(tasks(10));
    job.id = {.home = {99}, .number = 1};
    job.groups[0].demand = {.cpu = 1000, .memory = 100, .custom = {}, .net_in = 30};
    job.groups[0].duration = 2s;
    job.groups.push_back(tasks(4));
    job.groups[1].demand = {.cpu = 500, .memory = 0, .custom = {{"gpu", 1}}};
    job.groups[1].duration = 1s;
    return job;
  }
};

TEST_F(ExtentTest, CountsAllGroups) {
  JobState job(two_groups(), now);
  const Extent idle = extent_of(job, 0, now, 1s);
  EXPECT_EQ(idle.work.cpu, 10u * 1000 * 2000 + 4 * 500 * 1000);
  EXPECT_EQ(idle.work.memory, 10u * 100 * 2000);
  EXPECT_EQ(idle.work.net_in, 10u * 30 * 2000);
  ASSERT_EQ(idle.work.custom.size(), 1u);
  EXPECT_EQ(idle.work.custom[0], (sched::AmountSum{"gpu", 4000}));
  EXPECT_EQ(idle.held.cpu, 0u);

  job.bind(0, node(1), 1, now);
  job.bind(1, node(2), 1, now);
  const Extent busy = extent_of(job, 1, now, 1s);
  EXPECT_EQ(busy.held.cpu, 1500u);
  EXPECT_EQ(busy.held.net_in, 30u);
  EXPECT_EQ(busy.work.cpu, 9u * 1000 * 2000 + 3 * 500 * 1000);
}

TEST_F(ExtentTest, AStageIsTheGroup) {
  JobState job(two_groups(), now);
  for (int i = 0; i < 3; ++i) {
    const auto attempt = job.bind(1, node(1), 1, now);
    ASSERT_TRUE(attempt);
    EXPECT_EQ(extent_of(job, 1, now, 1s).finished, 250u * static_cast<unsigned>(i));
    job.end({.index = attempt->index, .attempt = attempt->attempt}, node(1).id, now);
  }
  EXPECT_EQ(extent_of(job, 1, now, 1s).finished, 750u);
  EXPECT_EQ(extent_of(job, 0, now, 1s).finished, 0u);
}

TEST_F(ExtentTest, LaterStagesAreWorkThatIsLeft) {
  sched::Job staged = two_groups();
  staged.groups[1].after = {0};
  const JobState job(staged, now);
  const Extent first = extent_of(job, 0, now, 1s);
  EXPECT_EQ(first.work.cpu, 10u * 1000 * 2000 + 4 * 500 * 1000);
  EXPECT_EQ(first.finished, 0u);
}

TEST_F(ExtentTest, WhatExceedsTheNumbersIsTheLargest) {
  sched::Job huge = two_groups();
  huge.groups[0].count = 1'000'000;
  huge.groups[0].demand.memory = std::numeric_limits<std::uint32_t>::max();
  huge.groups[0].duration = sched::kTaskTimeMax;
  const JobState job(huge, now);
  EXPECT_GE(extent_of(job, 0, now, 1s).work.memory, std::uint64_t{1} << 63);
}

TEST(ExtentNews, IsToldOnChangesOfAQuarterAndSeldom) {
  ExtentNews news;
  Extent extent;
  extent.work.cpu = 1000;
  EXPECT_TRUE(news.tell(extent, Time{0s})) << "the first time";
  EXPECT_FALSE(news.tell(extent, Time{5s})) << "no news";
  extent.work.cpu = 751;
  EXPECT_FALSE(news.tell(extent, Time{5s}));
  extent.work.cpu = 750;
  EXPECT_FALSE(news.tell(extent, Time{999ms})) << "too early";
  EXPECT_TRUE(news.tell(extent, Time{1s}));
  extent.held.net_in = 1;
  EXPECT_TRUE(news.tell(extent, Time{2s})) << "something where there was nothing";
  extent.held.custom = {{"gpu", 1}};
  EXPECT_TRUE(news.tell(extent, Time{3s}));
  EXPECT_FALSE(news.tell(extent, Time{9s}));
}

}  // namespace
}  // namespace dunlin::test
