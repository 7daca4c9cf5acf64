// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/engine/simulation.h"
#include "sim/measure/message_kind.h"
#include "sim/measure/whole_jobs.h"
#include "sim/report/report.h"

// What a run says of jobs that it lost, cut off or never got.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario crowded() {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 30s, .warm_up = 2s, .drain = 60s};
  scenario.cluster.peers = 30;
  scenario.workload = {.load = 0.9, .tasks_per_job = 20, .task_time = 2s, .first_job = 2s};
  return scenario;
}

nlohmann::json json_from(const Simulation& run) {
  return nlohmann::json::parse(json_of(run));
}

// Homes that come back without their memory number their jobs from 1 again: the new records took
// the place of the old ones, and what was lost was in no count.
TEST(Accounts, JobsThatAHomeForgotAreLost) {
  Scenario scenario = crowded();
  scenario.faults.crash_share = 0.5;
  scenario.faults.crash_at = 15s;
  scenario.faults.restart_after = 3s;
  Simulation run(scenario, nullptr);
  run.run();
  const auto& counts = run.recorder().counts();
  const Fates& all = run.fates_of_all();
  EXPECT_EQ(run.recorder().records().count(), counts.jobs);
  EXPECT_GT(all.lost, 0u);
  EXPECT_EQ(counts.jobs, all.finished + all.cancelled + all.unfinished + all.lost);
  EXPECT_GT(counts.jobs_refused, 0u) << "users of nodes that are down submit in vain";
  const auto json = json_from(run);
  EXPECT_EQ(json["fates"]["lost"], run.fates().lost);
  EXPECT_GT(json["fates"]["refused"], 0);
  EXPECT_NE(table_of(run).find("not in these figures"), std::string::npos);
}

Scenario map_reduce(Scheduler scheduler) {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 20min, .warm_up = 0s, .drain = 4h};
  scenario.cluster.start = Start::wired;
  scenario.cluster.peers = 10;
  scenario.cluster.cpus = 24;
  scenario.cluster.memory = 65536;
  scenario.cluster.disk_read = 250;
  scenario.cluster.net_in = scenario.cluster.net_out = 100;
  scenario.workload.kind = WorkloadKind::mapreduce;
  scenario.workload.jobs_max = 12;
  scenario.workload.first_job = 30s;
  scenario.baseline.heartbeat = 1s;
  scenario.baseline.scheduler = scheduler;
  return scenario;
}

// Each scheduler has the same tasks, whether it holds stages itself or gets them one by one, and
// all of them are measured, whenever it came to submit them.
TEST(Accounts, StagesAreMeasuredWithTheirJobs) {
  std::uint64_t tasks = 0;
  Window window;
  for (const auto scheduler : {Scheduler::drf, Scheduler::central, Scheduler::early_binding}) {
    Simulation run(map_reduce(scheduler), nullptr);
    run.run();
    const WholeJobs whole = whole_jobs_of(run.recorder());
    std::uint64_t sum = 0;
    for (const WholeJob& job : whole.finished()) sum += job.tasks;
    EXPECT_EQ(whole.finished().size(), 12u);
    EXPECT_EQ(sum, run.recorder().counts().tasks);
    if (tasks == 0) {
      tasks = sum;
      window = run.recorder().window();
    }
    EXPECT_EQ(sum, tasks) << static_cast<int>(scheduler);
    EXPECT_EQ(run.recorder().window().from, window.from) << "from the first arrival";
    EXPECT_EQ(run.recorder().window().until, window.until) << "to the last, whoever schedules";
  }
}

TEST(Accounts, AMakespanOfJobsThatDidNotEndIsAtLeastThat) {
  Scenario scenario = map_reduce(Scheduler::central);
  scenario.simulation.drain = 1s;
  scenario.simulation.duration = 2min;
  Simulation run(scenario, nullptr);
  run.run();
  const auto whole = json_from(run)["whole_jobs"];
  EXPECT_GT(whole["unfinished"], 0);
  EXPECT_TRUE(whole["makespan_ms"].is_null());
  EXPECT_GT(whole["censored"]["makespan_ms"], 0);
}

// All jobs refused: there is no delay, not one of 0.
TEST(Accounts, OfNoJobNothingIsKnown) {
  Scenario scenario = crowded();
  scenario.cluster.peers = 4;
  scenario.faults.crash_first = 4;
  scenario.faults.crash_at = 1s;
  Simulation run(scenario, nullptr);
  run.run();
  const auto json = json_from(run);
  EXPECT_GT(json["fates"]["refused"], 0);
  EXPECT_TRUE(json["measures"]["all"]["job_delay_ms"]["mean"].is_null());
  EXPECT_EQ(json["measures"]["all"]["job_delay_ms"]["count"], 0);
  EXPECT_TRUE(json["messages_per_task"].is_null());
  EXPECT_TRUE(json["fairness_of_slowdown"].is_null());
}

// A class table and plans cost messages, too.
TEST(Accounts, MessagesAreAllThatIsNotGossip) {
  Scenario scenario = crowded();
  scenario.baseline.plan = true;
  scenario.peer.sharing.cell.sharing = sched::SharingMode::bank;
  scenario.classes.set_at = 1s;
  Simulation run(scenario, nullptr);
  run.run();
  const auto json = json_from(run);
  std::uint64_t sum = 0;
  for (const auto& [kind, tally] : json["messages"].items()) {
    const auto* const found = std::ranges::find(kMessageWords, kind);
    if (found - kMessageWords.begin() >= static_cast<std::ptrdiff_t>(kOverlayKinds)) {
      sum += tally["messages"].get<std::uint64_t>();
    }
  }
  EXPECT_GT(json["messages"]["claims"]["messages"], 0);
  EXPECT_DOUBLE_EQ(json["messages_per_task"].get<double>(),
      static_cast<double>(sum) / static_cast<double>(run.recorder().counts().tasks));
}

}  // namespace
}  // namespace dunlin::sim
