// SPDX-License-Identifier: MIT
#include "sim/workload/trace_workload.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include "sim/workload/dependencies.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class TraceFile : public ::testing::Test {
 protected:
  TraceFile() {
    folder = std::filesystem::temp_directory_path() / ("dunlin-trace-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    setting.params.data = folder.string();
    setting.params.file = "t";
    setting.machines = std::vector<Machine>(
        10, {.total = {.cpu = 1000, .memory = 1024, .custom = {}}, .attributes = {}});
    setting.demand = {.cpu = 1000, .memory = 100, .custom = {}};
    setting.first_job = Time{5s};
  }
  ~TraceFile() override { std::filesystem::remove_all(folder); }

  void write(const std::string& text) { std::ofstream(folder / "t") << text; }
  std::string error() {
    const auto opened = TraceWorkload::open(setting);
    return opened ? "none" : opened.error().text;
  }
  std::vector<Submission> all() {
    std::vector<Submission> submissions;
    auto opened = TraceWorkload::open(setting);
    EXPECT_TRUE(opened) << opened.error().text;
    while (auto next = opened->next()) submissions.push_back(*std::move(next));
    return submissions;
  }

  std::filesystem::path folder;
  TraceSetting setting;
};

constexpr const char* kThree = "100 1 10 10\n110 2 20 15 25\n120 1 40 40\n";

TEST_F(TraceFile, StartsWithItsFirstJobAndKeepsThePace) {
  write(kThree);
  const auto jobs = all();
  ASSERT_EQ(jobs.size(), 3u);
  EXPECT_EQ(jobs[0].at, Time{5s});
  EXPECT_EQ(jobs[2].at, Time{25s});
  EXPECT_EQ(jobs[1].facts.longest, 25s);
  EXPECT_EQ(jobs[1].facts.mean, 20s);
  const auto& group = jobs[1].job.groups.front();
  EXPECT_EQ(group.count, 2u);
  EXPECT_EQ(duration_of(group, 0), 15s);
  EXPECT_EQ(duration_of(group, 1), 25s);
}

TEST_F(TraceFile, StretchesTimeToTheLoadAskedFor) {
  write(kThree);  // 90 s of work in 20 s on 10 slots: 0.45.
  EXPECT_NEAR(TraceWorkload::open(setting)->offered_load(), 0.45, 1e-9);
  setting.params.target_load = 0.9;
  EXPECT_NEAR(TraceWorkload::open(setting)->offered_load(), 0.9, 1e-9);
  EXPECT_EQ(all()[2].at, Time{15s});
  setting.params.target_load = 0;
  setting.params.time_scale = 3;
  EXPECT_EQ(all()[1].at, Time{35s});
  EXPECT_EQ(all()[1].facts.longest, 25s);
}

TEST_F(TraceFile, NamesMalformedLinesOrRefusesThem) {
  write("100 1 10 10\n110 2 20 15\n120 1 40 40\nx\nx\nx\nx\nx\n");
  const auto workload = TraceWorkload::open(setting);
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->survey().jobs, 2u);
  EXPECT_EQ(workload->survey().malformed, 6u);
  const auto warnings = workload->survey().warnings();
  ASSERT_EQ(warnings.size(), 6u);  // Five of them, and how many in all.
  EXPECT_THAT(warnings[0], HasSubstr("/t:2: 2 tasks declared, 1 durations given"));
  EXPECT_THAT(warnings[5], HasSubstr("6 malformed lines in all"));
  setting.params.strict = true;
  EXPECT_THAT(error(), HasSubstr("/t:2: 2 tasks declared"));
}

TEST_F(TraceFile, SaysWhatIsWrongWithTheFile) {
  EXPECT_THAT(error(), HasSubstr("/t: no such trace"));
  write("\n\n");
  EXPECT_THAT(error(), HasSubstr("no job in it"));
  write("2 1 1 1\n1 1 1 1\n");
  EXPECT_THAT(error(), HasSubstr("/t:2: earlier than the job before it"));
  setting.params.file = "";
  EXPECT_THAT(error(), HasSubstr("but which?"));
}

TEST_F(TraceFile, NeitherDropsNorJoinsLinesAtAByteThatNoTextHas) {
  // Read up to the byte, the second and third line would be one job of two tasks.
  write(std::string("100 1 10 10\n110 2 20 15\0\n25\n120 1 40 40\n", 40));
  const auto workload = TraceWorkload::open(setting);
  ASSERT_TRUE(workload);
  EXPECT_EQ(workload->survey().jobs, 2u);
  EXPECT_EQ(workload->survey().malformed, 2u);
  EXPECT_THAT(workload->survey().warnings()[0], HasSubstr("/t:2: byte 12 is 0x00"));
}

TEST_F(TraceFile, NamesTheFirstMalformedLinesAlsoIfThereIsNoJob) {
  const struct {
    WorkloadKind kind;
    const char* line;
    const char* what;
  } cases[] = {
      {WorkloadKind::tr, "1,2,3", "expected: submit_s tasks"},
      {WorkloadKind::swf, "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17",
          "expected 18 numbers; there are 17"},
      {WorkloadKind::swf, "1,2,3", "column 1 is '1,2,3'"},
      {WorkloadKind::alibaba, "1 2 3", "expected: arrival_s,job"},
      {WorkloadKind::cloudera, "1 2 3", "expected: submit_s,duration_s"},
      {WorkloadKind::requests, "1,2,3", "expected: submit_s class"},
  };
  for (const auto& [kind, line, what] : cases) {
    setting.kind = kind;
    std::string text;
    for (int i = 0; i < 7; ++i) text += line + std::string("\n");
    write(text);
    for (const double sample : {1.0, 0.5}) {
      setting.params.sample = sample;
      EXPECT_THAT(error(), HasSubstr("/t: no job in it\n"));
      EXPECT_THAT(error(), HasSubstr("/t:1: "));
      EXPECT_THAT(error(), HasSubstr(what));
      EXPECT_THAT(error(), HasSubstr("/t:5: "));
      EXPECT_THAT(error(), Not(HasSubstr("/t:6: ")));
      EXPECT_THAT(error(), HasSubstr("7 malformed lines in all"));
    }
  }
}

TEST_F(TraceFile, AByteOrderMarkCostsNoJob) {
  write(std::string("\xef\xbb\xbf") + kThree);
  EXPECT_EQ(all().size(), 3u);
}

TEST_F(TraceFile, ReadsGzipAsWellAsText) {
  gzFile file = gzopen((folder / "t").c_str(), "wb");
  gzputs(file, kThree);
  gzclose(file);
  EXPECT_EQ(all().size(), 3u);
}

TEST_F(TraceFile, ThinsJobsAndTasks) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i) + " 4 1 1 1 1 1\n";
  write(text);
  setting.params.keep_jobs = 0.25;
  const auto kept = all().size();
  EXPECT_NEAR(static_cast<double>(kept), 250, 50);
  EXPECT_EQ(all().size(), kept);  // By chance, but the same each time.
  setting.params.keep_jobs = 1;
  setting.params.keep_tasks = 0.375;  // One and a half of four.
  double tasks = 0;
  for (const auto& each : all()) tasks += each.job.task_count();
  EXPECT_NEAR(tasks, 1500, 60);
  setting.params.jobs_max = 7;
  EXPECT_EQ(all().size(), 7u);
}

TEST_F(TraceFile, LeavesOutWhatFitsNoPeer) {
  setting.kind = WorkloadKind::alibaba;
  write("0,j,M1,5,100,10,1\n0,j,R2_1,5,200,10,1\n0,j,R3_2_1,5,50,10,1\n");
  const auto opened = TraceWorkload::open(setting);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->survey().too_large, 1u);
  const auto jobs = all();
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[1].parents, std::vector{jobs[0].facts.key});  // It can't wait for what never runs.
}

Submission submission(std::uint64_t key, std::vector<std::uint64_t> parents) {
  Submission made;
  made.facts.key = key;
  made.parents = std::move(parents);
  return made;
}

TEST(Dependencies, AJobWaitsForAllItsParents) {
  Dependencies dependencies;
  EXPECT_TRUE(dependencies.pass(submission(1, {})));
  EXPECT_FALSE(dependencies.pass(submission(2, {1, 9})));  // 9 comes later.
  EXPECT_FALSE(dependencies.pass(submission(3, {1})));
  EXPECT_EQ(dependencies.held(), 2u);
  const auto free = dependencies.ended(1);
  ASSERT_EQ(free.size(), 1u);
  EXPECT_EQ(free[0].facts.key, 3u);
  EXPECT_TRUE(dependencies.pass(submission(4, {1})));  // It has ended already.
  EXPECT_EQ(dependencies.ended(9).at(0).facts.key, 2u);
  EXPECT_EQ(dependencies.held(), 0u);
}

}  // namespace
}  // namespace dunlin::sim
