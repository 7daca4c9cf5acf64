// SPDX-License-Identifier: MIT
#include "sched/frontend/outlook.h"

#include <gtest/gtest.h>
#include <vector>

#include "tests/support/builders.h"

namespace dunlin::test {
namespace {

using sched::shortest_run;
using std::chrono::minutes;

/// Nodes of 4 CPU and 2 GiB.
std::vector<overlay::Descriptor> nodes(std::size_t count) {
  overlay::Descriptor node;
  node.cpu_total = 4000;
  node.memory_total = 2048;
  return std::vector<overlay::Descriptor>(count, node);
}
sched::Job job_lasting(std::uint32_t count, sched::Duration each) {
  sched::Job job = test::job(count);  // Tasks of 1 CPU and 512 MiB: 4 fit a node.
  job.groups[0].duration = each;
  return job;
}

TEST(Outlook, CountsTheRoundsOfTasks) {
  EXPECT_EQ(shortest_run(job_lasting(8, minutes(10)), nodes(2)), minutes(10));
  EXPECT_EQ(shortest_run(job_lasting(9, minutes(10)), nodes(2)), minutes(20));
}

TEST(Outlook, GoesByWhatIsShort) {
  sched::Job large = job_lasting(4, minutes(10));
  large.groups[0].demand.memory = 2048;
  EXPECT_EQ(shortest_run(large, nodes(2)), minutes(20)) << "one fits a node";
}

TEST(Outlook, TakesTheLongestGroup) {
  sched::Job job = job_lasting(1, minutes(10));
  job.groups.push_back(job_lasting(16, minutes(7)).groups[0]);
  EXPECT_EQ(shortest_run(job, nodes(1)), minutes(28));
}

TEST(Outlook, StagesTakeTheirTimeOneAfterTheOther) {
  sched::Job job = job_lasting(1, minutes(10));
  job.groups.push_back(job_lasting(16, minutes(7)).groups[0]);
  job.groups.push_back(job_lasting(1, minutes(20)).groups[0]);
  job.groups[0].after = {1};
  EXPECT_EQ(shortest_run(job, nodes(1)), minutes(38));
  job.groups[2].after = {0};
  EXPECT_EQ(shortest_run(job, nodes(1)), minutes(58));
  job.groups[2].count = 1'000'000;
  job.groups[2].duration = sched::kTaskTimeMax;
  EXPECT_EQ(shortest_run(job, nodes(1)), sched::kNever.time_since_epoch());
}

TEST(Outlook, SaysNothingOfWhatItDoesNotKnow) {
  EXPECT_EQ(shortest_run(job_lasting(9, {}), nodes(2)), sched::Duration{0});
  EXPECT_EQ(shortest_run(job_lasting(9, minutes(1)), {}), sched::Duration{0});
  sched::Job huge = job_lasting(1, minutes(1));
  huge.groups[0].demand.cpu = 9000;
  EXPECT_EQ(shortest_run(huge, nodes(2)), sched::Duration{0}) << "no node can hold it";
}

TEST(Outlook, SaturatesInsteadOfOverflowing) {
  sched::Job job = job_lasting(4'000'000, sched::kTaskTimeMax);
  EXPECT_EQ(shortest_run(job, nodes(1)), sched::kNever.time_since_epoch());
}

/// Four tasks of 10 minutes, due an hour after the submit.
sched::JobState due_job() {
  sched::Job job = job_lasting(4, minutes(10));
  job.deadline = minutes(60);
  return sched::JobState(job, sched::Time{});
}
bool urgent_at(const sched::JobState& job, minutes now, minutes each = minutes(10)) {
  return sched::is_urgent(job, 0, each, sched::Time{now});
}

TEST(Outlook, AJobIsUrgentOnceItWouldMissItsDeadlineAndNeedNot) {
  sched::JobState job = due_job();
  EXPECT_FALSE(urgent_at(job, minutes(40))) << "there is time to wait for a slot";
  EXPECT_TRUE(urgent_at(job, minutes(41)));
  EXPECT_TRUE(urgent_at(job, minutes(50)));
  EXPECT_FALSE(urgent_at(job, minutes(51))) << "nothing helps any more";
  EXPECT_FALSE(urgent_at(job, minutes(41), minutes(0))) << "nothing is known";
  ASSERT_TRUE(job.bind(0, {}, 1, sched::Time{}));
  EXPECT_FALSE(urgent_at(job, minutes(20)));
  EXPECT_TRUE(urgent_at(job, minutes(21))) << "three wait for the slot of one";
  ASSERT_TRUE(job.bind(0, {}, 1, sched::Time{}));
  EXPECT_FALSE(urgent_at(job, minutes(40))) << "two wait for the slots of two";
  EXPECT_TRUE(urgent_at(job, minutes(41)));
  ASSERT_TRUE(job.bind(0, {}, 1, sched::Time{}));
  ASSERT_TRUE(job.bind(0, {}, 1, sched::Time{}));
  EXPECT_FALSE(urgent_at(job, minutes(45))) << "all run";
}

TEST(Outlook, AJobWithoutADeadlineIsNeverUrgent) {
  const sched::JobState job(job_lasting(4, minutes(10)), sched::Time{});
  EXPECT_FALSE(urgent_at(job, minutes(1000)));
}

}  // namespace
}  // namespace dunlin::test
