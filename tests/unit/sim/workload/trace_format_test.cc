// SPDX-License-Identifier: MIT
#include "sim/workload/trace_format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr sched::Resources small_machine() {
  return {.cpu = 64000, .memory = 100'000, .custom = {}};
}

std::vector<TraceJob> read(WorkloadKind kind, std::initializer_list<std::string_view> lines) {
  const auto format = trace_format(kind, small_machine());
  std::vector<TraceJob> jobs;
  for (const auto line : lines) EXPECT_TRUE(format->read(line, jobs)) << line;
  return jobs;
}

std::string line_error(WorkloadKind kind, std::string_view line) {
  std::vector<TraceJob> jobs;
  const auto done = trace_format(kind, small_machine())->read(line, jobs);
  EXPECT_TRUE(jobs.empty());
  return done ? "none" : done.error().text;
}

TEST(TrFormat, ReadsAJobALine) {
  const auto jobs = read(WorkloadKind::tr, {"", "0.5  2  1.5  1.25  1.75  "});
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs[0].at, 500ms);
  EXPECT_EQ(jobs[0].tasks, 2u);
  EXPECT_EQ(jobs[0].mean, 1500ms);
  EXPECT_THAT(jobs[0].durations, ElementsAre(1250ms, 1750ms));
  EXPECT_DOUBLE_EQ(jobs[0].work(), 3.0);
  EXPECT_FALSE(jobs[0].demand);
}

TEST(TrFormat, RefusesWhatIsNoJob) {
  const auto kind = WorkloadKind::tr;
  EXPECT_THAT(line_error(kind, "1 2 3 4"), HasSubstr("2 tasks declared, 1 durations given"));
  EXPECT_THAT(line_error(kind, "1 x 3 4"), HasSubstr("expected: submit_s"));
  EXPECT_THAT(line_error(kind, "-1 1 3 4"), HasSubstr("expected: submit_s"));
  EXPECT_THAT(line_error(kind, "1 1 3 nan"), HasSubstr("'nan' is no duration"));
  EXPECT_THAT(line_error(kind, "1 1 3 1e300"), HasSubstr("no duration"));
}

TEST(SwfFormat, AJobOfProcessorsBecomesTasks) {
  const auto jobs = read(WorkloadKind::swf,
      {"; Version: 2.2", "   ", "1 614575 10 28 64 -1 -1 63 60 -1 0 26 26 -1 -1 -1 -1 -1",
          "2 614580 10 90 4 -1 -1 -1 60 -1 0 26 26 -1 -1 -1 -1 -1"});
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].at, 614575s);
  EXPECT_EQ(jobs[0].tasks, 63u);  // Requested, not allocated.
  EXPECT_THAT(jobs[0].durations, ElementsAre(28s));
  EXPECT_DOUBLE_EQ(jobs[0].work(), 63 * 28.0);
  EXPECT_EQ(jobs[1].tasks, 4u);
  EXPECT_THAT(jobs[1].durations, ElementsAre(60s));  // Cut at what was requested.
}

TEST(SwfFormat, JobsThatNeverRanAreNone) {
  EXPECT_THAT(read(WorkloadKind::swf,
                  {"1 5 10 -1 64 -1 -1 64 60 -1 0 26 26 -1 -1 -1 -1 -1",
                      "1 5 10 20 -1 -1 -1 -1 60 -1 0 26 26 -1 -1 -1 -1 -1"}),
      IsEmpty());
  EXPECT_THAT(
      line_error(WorkloadKind::swf, "1 5 10"), HasSubstr("expected 18 numbers; there are 3"));
  EXPECT_THAT(line_error(WorkloadKind::swf, "1 -5 10 20 2 0 0 2 60 0 0 0 0 0 0 0 0 0"),
      HasSubstr("beyond all reason"));
}

TEST(AlibabaFormat, NamesTellWhoWaitsForWhom) {
  const auto jobs = read(WorkloadKind::alibaba,
      {"0,j_1,R23_22_7,268,50.0,0.3,9", "0,j_1,M22,26,150.0,1,2", "0,j_2,M22,5,100,1,1",
          "3,j_1,task_xyz12,5,100,1,1", "3,j_1,MergeTask,5,100,1,1"});
  ASSERT_EQ(jobs.size(), 5u);
  EXPECT_EQ(jobs[0].tasks, 9u);
  EXPECT_EQ(jobs[0].demand->cpu, 500u);
  EXPECT_EQ(jobs[0].demand->memory, 300u);  // 0.3 % of the machine.
  EXPECT_EQ(jobs[0].parents.size(), 2u);
  EXPECT_EQ(jobs[0].parents[0], jobs[1].key);
  EXPECT_NE(jobs[1].key, jobs[2].key);  // The same name in another job is another group.
  EXPECT_EQ(jobs[0].family, jobs[1].family);
  EXPECT_NE(jobs[0].family, jobs[2].family);
  EXPECT_THAT(jobs[3].parents, IsEmpty());
  EXPECT_NE(jobs[3].key, jobs[4].key);
  EXPECT_THAT(line_error(WorkloadKind::alibaba, "0,j_1,M22,26,150.0,1"), HasSubstr("expected"));
  EXPECT_THAT(line_error(WorkloadKind::alibaba, "0,j_1,M22,26,150.0,101,2"), HasSubstr("expected"));
}

TEST(ClouderaFormat, ReducesWaitForMaps) {
  const auto jobs = read(WorkloadKind::cloudera,
      {"submit_s,duration_s,maps,map_task_s,reduces,reduce_task_s,input_B,shuffle_B,output_B",
          "203,14,4,12,2,10,13418,0,13418", "204,14,1,3,0,0,1,0,1"});
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].tasks, 4u);
  EXPECT_THAT(jobs[0].durations, ElementsAre(3s));
  EXPECT_THAT(jobs[1].durations, ElementsAre(5s));
  EXPECT_THAT(jobs[1].parents, ElementsAre(jobs[0].key));
  EXPECT_THAT(jobs[2].parents, IsEmpty());
  EXPECT_THAT(line_error(WorkloadKind::cloudera, "1,2,x"), HasSubstr("expected: submit_s"));
}

}  // namespace
}  // namespace dunlin::sim
