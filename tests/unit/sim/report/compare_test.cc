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
  static std::string write(const std::string& name, const std::string& whole_jobs) {
    const std::string file = ::testing::TempDir() + "compare_" + name + ".json";
    std::ofstream(file) << R"({"measures": {}, "whole_jobs": )" << whole_jobs << "}";
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
  const auto compared = compare_runs(a, b, 0.01);
  ASSERT_TRUE(compared) << compared.error().text;
  EXPECT_EQ(compared->ratios.size(), 4u);
  EXPECT_EQ(compared->alone, 1u);
  EXPECT_DOUBLE_EQ(compared->makespan_ratio, 0.8);
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
  const auto missing = compare_runs(bare, bare, 0);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().text.find("measures.job_records"), std::string::npos);
  EXPECT_FALSE(compare_runs("/nowhere.json", bare, 0));
}

}  // namespace
}  // namespace dunlin::sim
