// SPDX-License-Identifier: MIT
#include "sim/report/compare.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace dunlin::sim {
namespace {

class CompareRuns : public ::testing::Test {
 protected:
  /// Writes what `compare` reads of a run, and returns the file.
  static std::string write(const std::string& name,
      const std::string& whole_jobs,
      const std::string& parameters = "{}") {
    const std::string file = ::testing::TempDir() + "compare_" + name + ".json";
    std::ofstream(file) << R"({"measures": {}, "parameters": )" << parameters
                        << R"(, "whole_jobs": )" << whole_jobs << "}";
    return file;
  }
  static std::string record(int key, int completion) {
    return R"({"key": )" + std::to_string(key) + R"(, "completion_ms": )" +
        std::to_string(completion) + "}";
  }
};

// Of four common jobs one takes half as long, one as long, one by half a percent longer, which is
// tolerated, and one twice as long.
TEST_F(CompareRuns, JobByJob) {
  const auto a = write("a",
      R"({"makespan_ms": 80, "records": [)" + record(1, 50) + "," + record(2, 100) + "," +
          record(3, 201) + "," + record(4, 200) + "," + record(9, 1) + "]}");
  const auto b = write("b",
      R"({"makespan_ms": 100, "records": [)" + record(1, 100) + "," + record(2, 100) + "," +
          record(3, 200) + "," + record(4, 100) + "]}");
  const auto compared = compare_runs(a, b, {});
  ASSERT_TRUE(compared) << compared.error().text;
  EXPECT_EQ(compared->ratios.size(), 4u);
  EXPECT_EQ(compared->alone, 1u);
  EXPECT_DOUBLE_EQ(compared->makespan_ratio.value(), 0.8);
  EXPECT_DOUBLE_EQ(compared->mean_ratio, 551.0 / 500);
  EXPECT_DOUBLE_EQ(compared->slowed_share, 0.25);
  EXPECT_DOUBLE_EQ(compared->slowed_by, 1);
  EXPECT_DOUBLE_EQ(compared->change_at(0), -0.5);
  EXPECT_DOUBLE_EQ(compared->change_at(100), 1);
  EXPECT_NE(text_of(*compared).find("slowed: 25.0 % of jobs, by 100.0 %"), std::string::npos)
      << text_of(*compared);
}

TEST_F(CompareRuns, SaysWhatIsMissing) {
  const auto bare = write("bare", "{}");
  const auto missing = compare_runs(bare, bare, {});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("measures.job_records"), std::string::npos);
  EXPECT_FALSE(compare_runs("/nowhere.json", bare, {}));
}

// A run of another seed has other jobs; that they are numbered alike makes no pairs of them.
TEST_F(CompareRuns, RefusesRunsThatHadOtherJobs) {
  const std::string jobs = R"({"makespan_ms": 80, "records": [)" + record(1, 50) + "]}";
  const auto with = [&](const std::string& name, const std::string& parameters) {
    return write(name, jobs, parameters);
  };
  const auto a = with("a", R"({"simulation": {"seed": 1, "run": 1}, "trace": {"data": "/x"}})");
  const auto b = with("b", R"({"simulation": {"seed": 2, "run": 1}, "trace": {"data": "/y"}})");
  const auto refused = compare_runs(a, b, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("simulation.seed is 1 and 2;"), std::string::npos)
      << refused.error().text;
  EXPECT_NE(refused.error().text.find("--unpaired"), std::string::npos);
  EXPECT_TRUE(compare_runs(a, b, {.paired = false}));
  const auto c = with("c", R"({"workload": {"task_time": "1s", "estimates": true}})");
  const auto d = with("d", R"({"workload": {"task_time": "2s", "estimates": true}})");
  const auto e = with("e", R"({"workload": {"task_time": "1s", "estimates": false}})");
  EXPECT_FALSE(compare_runs(c, d, {}));
  EXPECT_TRUE(compare_runs(c, e, {})) << "the jobs are the same, whatever schedulers are told";
  const auto late = write(
      "late", R"({"records": [{"key": 1, "completion_ms": 50, "submitted_ms": 7, "tasks": 2}]})");
  const auto other = compare_runs(late, a, {});
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().text.find("job 1 is not the same"), std::string::npos);
}

// Where a job did not end the makespan is not known, and is no 0.
TEST_F(CompareRuns, AMakespanThatIsNotKnownIsNotCompared) {
  const auto cut = write("cut", R"({"makespan_ms": null, "records": [)" + record(1, 50) + "]}");
  const auto full = write("full", R"({"makespan_ms": 80, "records": [)" + record(1, 50) + "]}");
  const auto compared = compare_runs(cut, full, {});
  ASSERT_TRUE(compared);
  EXPECT_FALSE(compared->makespan_ratio);
  EXPECT_NE(text_of(*compared).find("makespan unknown"), std::string::npos);
}

}  // namespace
}  // namespace dunlin::sim
