// SPDX-License-Identifier: MIT
// The traces themselves, where they are: each must read whole, and be what is known of it.
#include <filesystem>
#include <gtest/gtest.h>

#include "sim/workload/trace_workload.h"

namespace dunlin::sim {
namespace {

struct Known {
  const char* file;
  WorkloadKind kind;
  std::uint32_t slots;
  std::uint64_t jobs;
  std::uint64_t tasks;
  double load;  // On so many slots; 0: not known.
};

class SharedData : public ::testing::TestWithParam<Known> {};

TEST_P(SharedData, HasTheJobsAndTheLoadItIsKnownFor) {
  const Known& known = GetParam();
  const std::string data = DUNLIN_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::exists(data + "/" + known.file)) {
    GTEST_SKIP() << "no " << data << "/" << known.file << ": this trace is NOT tested";
  }
  const auto workload = TraceWorkload::open({.params = {.data = data, .file = known.file},
      .kind = known.kind,
      .machines = std::vector<Machine>(known.slots,
          {.total = {.cpu = 96000, .memory = 100'000, .custom = {}}, .attributes = {}}),
      .demand = {.cpu = 96000, .memory = 1}});
  ASSERT_TRUE(workload) << workload.error().text;
  const TraceSurvey& survey = workload->survey();
  EXPECT_EQ(survey.malformed, 0u);
  EXPECT_EQ(survey.too_large, 0u);
  EXPECT_EQ(survey.jobs, known.jobs);
  EXPECT_EQ(survey.tasks, known.tasks);
  if (known.load > 0) {
    EXPECT_NEAR(workload->offered_load(), known.load, 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Traces,
    SharedData,
    ::testing::Values(Known{"tr/NGO_trace80", WorkloadKind::tr, 120, 5001, 10291, 0.795},
        Known{"tr/NGO_trace90", WorkloadKind::tr, 120, 5001, 10291, 0.895},
        Known{"tr/NYH_trace80", WorkloadKind::tr, 330, 5001, 100350, 0.80},
        Known{"tr/NYH_trace90", WorkloadKind::tr, 330, 5001, 100350, 0.90},
        Known{"tr/YH1_sub.tr", WorkloadKind::tr, 4000, 2910, 122878, 0.807},
        // As many as the simulator of EASY kept: 9 and 7 jobs never ran.
        Known{"swf/KTH-SP2-1996-2.1-cln.swf.gz", WorkloadKind::swf, 100, 28467, 217802, 0.70},
        Known{"swf/SDSC-Par-1996-3.1-cln.swf.gz", WorkloadKind::swf, 400, 32128, 588037, 0.747},
        Known{"alibaba2018/sample_tasks.csv", WorkloadKind::alibaba, 4000, 67634, 3056536, 0},
        Known{"cloudera/CC-a.jobs.csv", WorkloadKind::cloudera, 100, 7732, 540571, 0}));

}  // namespace
}  // namespace dunlin::sim
