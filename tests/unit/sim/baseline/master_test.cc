// SPDX-License-Identifier: MIT
#include "sim/baseline/master.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sched/cell/plan_member.h"
#include "sim/engine/simulation.h"
#include "sim/engine/workload_of.h"
#include "sim/measure/lateness.h"
#include "tests/unit/sim/swf_trace.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

class MasterTest : public ::testing::Test {
 protected:
  MasterTest() {
    scenario.simulation = {.seed = 1, .duration = 3600s, .warm_up = 0s, .drain = 3600s};
    scenario.cluster.peers = 2;
    scenario.cluster.cpus = 1;
    scenario.network = {.latency_spread = Spread::constant, .latency = 1ms};
    scenario.workload.kind = WorkloadKind::swf;
    scenario.workload.first_job = 0s;
    scenario.trace.file = SwfTrace::kFile;
    scenario.trace.priority_by_user = true;
    scenario.trace.deadline_factor = 2;
    scenario.baseline.scheduler = Scheduler::master;
    scenario.baseline.start_time = 0s;
    scenario.measures.plans = true;
  }

  /// Runs the jobs, and returns when each ended, in seconds since the first came.
  std::vector<int> ends_of(const std::vector<SwfJob>& jobs) {
    const SwfTrace trace(jobs);
    scenario.trace.data = trace.folder();
    const auto valid = validate(scenario);
    EXPECT_TRUE(valid) << valid.error().text;
    auto workload = open_trace_of(scenario);
    EXPECT_TRUE(workload) << workload.error().text;
    Simulation run(scenario, nullptr, *std::move(workload));
    run.run();
    std::vector<std::pair<std::uint64_t, int>> by_key;
    run.recorder().for_each_job([&](const JobRecord& job) {
      EXPECT_TRUE(job.finished);
      by_key.emplace_back(job.facts.key,
          std::chrono::round<std::chrono::seconds>(job.last_end.time_since_epoch()).count());
    });
    std::ranges::sort(by_key);
    std::vector<int> ends;
    for (const auto& [key, end] : by_key) ends.push_back(end);
    plans = run.recorder().plans().result();
    lost = run.recorder().counts().attempts_lost;
    return ends;
  }

  Scenario scenario;
  PlanMeter::Result plans;
  std::uint64_t lost = 0;
};

using Ends = std::vector<int>;

// User 1 has two jobs, and so the lower priority.
const std::vector<SwfJob> kLowAndHigh = {
    {.submit = 0, .run = 10, .processors = 4, .user = 1},
    {.submit = 5, .run = 10, .processors = 2, .user = 2},
    {.submit = 500, .run = 1, .processors = 1, .user = 1},
};

TEST_F(MasterTest, ASlotThatChangesItsJobFinishesItsTaskFirst) {
  scenario.baseline.policy = MasterPolicy::priority;
  scenario.baseline.reserve = 0;
  EXPECT_EQ(ends_of(kLowAndHigh), (Ends{30, 20, 501}));
  EXPECT_EQ(plans.preemptions, 0u);
  EXPECT_EQ(*plans.by_plan, 0);
  EXPECT_GT(plans.by_running, 0);
}

TEST_F(MasterTest, OrIsTakenFromIt) {
  scenario.baseline.policy = MasterPolicy::priority;
  scenario.baseline.reserve = 0;
  scenario.baseline.preempt = true;
  EXPECT_EQ(ends_of(kLowAndHigh), (Ends{35, 15, 501}));
  EXPECT_EQ(plans.preemptions, 2u);
  EXPECT_LT(plans.by_running, 1e-6);
  // Two tasks ran 5 s for nothing, of 71 s.
  EXPECT_NEAR(plans.lost_share, 10.0 / 71, 1e-6);
}

TEST_F(MasterTest, PreemptionStopsNoMoreThanThePlanNeeds) {
  scenario.baseline.policy = MasterPolicy::assured;
  scenario.baseline.preempt = true;
  const auto ends = ends_of({{.submit = 0, .run = 10, .processors = 4, .user = 1},
      {.submit = 5, .run = 10, .processors = 1, .user = 2},
      {.submit = 500, .run = 1, .processors = 1, .user = 1}});
  EXPECT_EQ(plans.preemptions, 1u);
  EXPECT_EQ(ends[1], 15);
}

TEST_F(MasterTest, EdfServesTheEarliestDeadlineAndNoPriority) {
  scenario.baseline.scheduler = Scheduler::edf;
  // Deadlines: 40, 34 and 10 s. The third, of lower priority, is the first.
  const std::vector<SwfJob> jobs = {{.submit = 0, .run = 20, .processors = 2, .user = 1},
      {.submit = 2, .run = 16, .processors = 2, .user = 2},
      {.submit = 4, .run = 3, .processors = 2, .user = 1}};
  EXPECT_EQ(ends_of(jobs), (Ends{20, 39, 23}));
  EXPECT_GT(*plans.by_plan, 0);
  scenario.baseline.scheduler = Scheduler::edf_preempt;
  EXPECT_EQ(ends_of(jobs)[2], 7);
}

TEST_F(MasterTest, ABatchIsPlannedOnce) {
  scenario.baseline.policy = MasterPolicy::priority;
  scenario.baseline.reserve = 0;
  scenario.trace.batch = 2s;
  // The high one comes second, in the same batch, and is not too late.
  EXPECT_EQ(ends_of({{.submit = 0, .run = 10, .processors = 2, .user = 1},
                {.submit = 1, .run = 10, .processors = 2, .user = 2},
                {.submit = 100, .run = 1, .processors = 1, .user = 1}}),
      (Ends{20, 10, 101}));
}

TEST_F(MasterTest, TasksRunByTheSpeedOfTheirMachinesTheFastestFirst) {
  scenario.cluster.speeds = "0.5, 2";
  EXPECT_EQ(ends_of({{.submit = 0, .run = 10}}), (Ends{5}));
  EXPECT_EQ(ends_of({{.submit = 0, .run = 10, .processors = 2}}), (Ends{20}))
      << "no slot is idle while a task waits";
}

TEST_F(MasterTest, SpareSlotsCanStayIdle) {
  scenario.baseline.policy = MasterPolicy::deadline;
  // 40 s of work in 20 s need both slots; in 80 s, one.
  EXPECT_EQ(ends_of({{.submit = 0, .run = 10, .processors = 4}}), (Ends{20}));
  scenario.trace.deadline_factor = 8;
  EXPECT_EQ(ends_of({{.submit = 0, .run = 10, .processors = 4}}), (Ends{20}));
  scenario.baseline.spare = MasterSpare::none;
  EXPECT_EQ(ends_of({{.submit = 0, .run = 10, .processors = 4}}), (Ends{40}));
}

TEST_F(MasterTest, EachStartTakesItsTime) {
  scenario.baseline.start_time = 2s;
  EXPECT_EQ(ends_of({{.submit = 0, .run = 10, .processors = 4}}), (Ends{24}));
}

TEST_F(MasterTest, TasksOfMachinesThatFailRunAgain) {
  scenario.faults.crash_first = 1;
  scenario.faults.crash_at = 5s;
  scenario.faults.restart_after = 20s;
  EXPECT_EQ(ends_of({{.submit = 0, .run = 10, .processors = 4}}), (Ends{35}));
  EXPECT_EQ(lost, 1u);
}

TEST_F(MasterTest, RefusesTasksThatAreNoSlots) {
  scenario.workload.task_cpu_max = 2;
  scenario.cluster.cpus = 4;
  const auto valid = validate(scenario);
  ASSERT_FALSE(valid);
  EXPECT_THAT(valid.error().text, ::testing::HasSubstr("task_cpu_max"));
}

TEST(TaskTimesOfAJob, FollowWhatTasksLatelyTookAndWhatRunsLonger) {
  TaskTimes times;
  EXPECT_FALSE(times.estimate({100s}));
  times.ended(4s);
  EXPECT_EQ(times.estimate({}), 4s);
  times.ended(8s);
  EXPECT_EQ(times.estimate({}), 5s);
  EXPECT_EQ(times.estimate({4s}), 5s) << "a younger task says nothing";
  EXPECT_EQ(times.estimate({9s, 4s}), 6s);
}

}  // namespace
}  // namespace dunlin::sim
