// SPDX-License-Identifier: MIT
#include "sim/command/load_warning.h"

#include <gmock/gmock.h>

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(LoadWarning, SaysThatQueuesCannotDrain) {
  Scenario scenario;
  scenario.cluster.peers = 10;
  scenario.workload.load = 1;
  EXPECT_EQ(load_warning(scenario, nullptr), "");
  scenario.workload.load = 1.25;
  EXPECT_THAT(load_warning(scenario, nullptr), HasSubstr("load 1.25 is above 1"));
  EXPECT_THAT(load_warning(scenario, nullptr), HasSubstr("queues cannot drain"));
}

// The pace of jobs makes a load, too: 10 peers of 4 slots, and 4 tasks of 1 s every 80 ms.
TEST(LoadWarning, KnowsTheLoadOfAPace) {
  Scenario scenario;
  scenario.cluster.peers = 10;
  scenario.workload.load = 2;  // Has no say.
  scenario.workload.tasks_per_job = 4;
  scenario.workload.job_gap = 100ms;
  EXPECT_EQ(load_warning(scenario, nullptr), "");
  scenario.workload.job_gap = 80ms;
  EXPECT_THAT(load_warning(scenario, nullptr), HasSubstr("load 1.25 is above 1"));
  scenario.workload.kind = WorkloadKind::classes;
  EXPECT_EQ(load_warning(scenario, nullptr), "") << "classes always want more, and wait in bounds";
}

// 10 peers of 4 slots with tasks of 1 ms: 40,000 a second at load 1, of which it decides on 10,000.
TEST(LoadWarning, SaysThatACentralSchedulerIsAskedForMoreThanItCanDecide) {
  Scenario scenario;
  scenario.cluster.peers = 10;
  scenario.workload.load = 0.5;
  scenario.workload.task_time = 1ms;
  EXPECT_EQ(load_warning(scenario, nullptr), "");
  scenario.baseline.scheduler = Scheduler::central;
  EXPECT_THAT(load_warning(scenario, nullptr), HasSubstr("asked for 2 times as many decisions"));
  scenario.workload.load = 0.2;
  EXPECT_EQ(load_warning(scenario, nullptr), "");
}

TEST(LoadWarning, IsSilentWhereJobsAreCounted) {
  Scenario scenario;
  scenario.cluster.peers = 10;
  scenario.workload.load = 1.25;
  scenario.workload.jobs_max = 100;
  EXPECT_EQ(load_warning(scenario, nullptr), "") << "queues drain after the last one";
}

TEST(LoadWarning, CountsTheCombinationsOfASweep) {
  const Study study{.file = "x.toml",
      .text = "[cluster]\npeers = 10\n",
      .plan = {.axes = {{"load", {"0.5", "1.1", "1.2"}}}}};
  EXPECT_THAT(load_warning(study), HasSubstr("2 of 3 combinations: load 1.2 is above 1"));
  EXPECT_EQ(load_warning(Study{.file = "x.toml", .text = ""}), "");
}

}  // namespace
}  // namespace dunlin::sim
