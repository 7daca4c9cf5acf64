// SPDX-License-Identifier: MIT
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "sim/baseline/roomiest.h"
#include "sim/engine/simulation.h"

// Rows of docs/lab/baselines.md: what each opponent knows, and in which order it serves.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario synthetic(Scheduler scheduler, double load) {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 40s, .warm_up = 5s, .drain = 60s};
  scenario.cluster.peers = 20;
  scenario.network = {.latency_spread = Spread::constant, .latency = 500us};
  scenario.workload = {.load = load, .tasks_per_job = 1, .task_time = 100ms, .first_job = 1s};
  scenario.baseline.scheduler = scheduler;
  return scenario;
}

struct FairRun {
  NodeLoads::Result nodes;
  double delay_ms = 0;
  double completion_ms = 0;
};

FairRun run_of(const Scenario& scenario) {
  const auto sound = validate(scenario);
  EXPECT_TRUE(sound) << sound.error().text;
  Simulation run(scenario, nullptr);
  run.run();
  const Measures& all = run.recorder().all();
  const auto ms = [](Duration time) { return static_cast<double>(time.count()) / 1e6; };
  return {run.recorder().nodes().value(), ms(all.delay.mean().value()),
      ms(all.completion.mean().value())};
}

// By index, one machine served 8.65 tasks a second and another .02.
TEST(FairBaselines, ChanceDecidesAmongEqualMachines) {
  const FairRun random = run_of(synthetic(Scheduler::random, 0.1));
  for (const auto scheduler : {Scheduler::omniscient, Scheduler::central}) {
    const FairRun run = run_of(synthetic(scheduler, 0.1));
    EXPECT_GT(run.nodes.balance.value(), 0.97) << static_cast<int>(scheduler);
    EXPECT_NEAR(run.nodes.min_per_s, random.nodes.min_per_s, 1.2);
  }
}

// With speeds .5 and 2 it was slower than schedulers that know less.
TEST(FairBaselines, TheOmniscientOneTakesTheFastestMachine) {
  const auto with_speeds = [](Scheduler scheduler) {
    Scenario scenario = synthetic(scheduler, 0.4);
    scenario.cluster.speeds = "0.5 2";
    scenario.workload.tasks_per_job = 10;
    scenario.baseline.start_time = 0s;
    return run_of(scenario).completion_ms;
  };
  const double bound = with_speeds(Scheduler::omniscient);
  for (const auto scheduler : {Scheduler::edf, Scheduler::master, Scheduler::central,
           Scheduler::sparrow, Scheduler::random}) {
    EXPECT_LT(bound, with_speeds(scheduler) * 1.02) << static_cast<int>(scheduler);
  }
}

// Uniform among all workers, whatever the peers' gossip does.
TEST(FairBaselines, SparrowDoesNotGossip) {
  Scenario scenario = synthetic(Scheduler::sparrow, 0.6);
  scenario.workload.tasks_per_job = 10;
  const FairRun run = run_of(scenario);
  scenario.peer.cyclon.period = 20s;
  scenario.peer.cyclon.view_size = 4;
  EXPECT_EQ(run_of(scenario).delay_ms, run.delay_ms);
  EXPECT_GT(run.nodes.balance.value(), 0.98);
}

// Its floor: a reservation there, a question back, a task there. One job in ten draws the machine
// of its own frontend, and waits for nothing.
TEST(FairBaselines, SparrowBindsLate) {
  Scenario scenario = synthetic(Scheduler::sparrow, 0.02);
  scenario.simulation.duration = 300s;
  EXPECT_NEAR(run_of(scenario).delay_ms, 1.5 * 0.9, 0.1);
  Scenario loaded = synthetic(Scheduler::sparrow, 0.8);
  loaded.workload.tasks_per_job = 20;
  Scenario batch = loaded;
  batch.baseline.scheduler = Scheduler::batch;
  EXPECT_LT(run_of(loaded).delay_ms, run_of(batch).delay_ms);
}

// One that samples blindly leaves constrained jobs without a worker.
TEST(FairBaselines, SparrowSamplesAmongWorkersThatSatisfy) {
  Scenario scenario = synthetic(Scheduler::sparrow, 0.5);
  scenario.cluster.peers = 60;
  scenario.cluster.constraints = ConstraintProfile::b;
  scenario.workload.tasks_per_job = 5;
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_EQ(run.recorder().counts().jobs_finished, run.recorder().counts().jobs);
  EXPECT_GT(run.recorder().of(JobClass::constrained_jobs).delay.count(), 100u);
}

// Jobs with fewer tasks left pass others in the published simulator.
TEST(FairBaselines, MeghaServesJobsWithFewTasksLeftFirst) {
  const auto mean = [](MeghaOrder order) {
    Scenario scenario = synthetic(Scheduler::megha, 0.95);
    scenario.workload.frontends = 2;
    scenario.cluster.cells = 2;
    scenario.workload.tasks_per_job = 30;
    scenario.baseline.order = order;
    return run_of(scenario).delay_ms;
  };
  EXPECT_LT(mean(MeghaOrder::tasks_left), mean(MeghaOrder::arrival));
}

// A task that fits nowhere lets others pass, with both.
TEST(FairBaselines, CentralAndOmniscientServeByOneRule) {
  const auto delay = [](Scheduler scheduler) {
    Scenario scenario = synthetic(scheduler, 0.6);
    scenario.workload.tasks_per_job = 5;
    scenario.workload.task_cpu_max = 4;
    scenario.baseline.decision_time = 0s;
    return run_of(scenario).delay_ms;
  };
  const double bound = delay(Scheduler::omniscient);
  EXPECT_LT(delay(Scheduler::central), bound + 6) << "two trips more, for each task on its machine";
}

TEST(Roomiest, TakesTheFastestThenTheOneWithMostRoomAndAmongEqualsAnyThatFits) {
  Roomiest machines;
  overlay::Rng rng{1};
  const auto any = [](std::uint32_t) { return true; };
  for (std::uint32_t i = 0; i < 6; ++i) machines.put(i, {i < 3 ? 2 : 1, 0.5});
  machines.put(4, {1, 1.0});
  std::vector<int> times(6);
  for (int i = 0; i < 600; ++i) ++times[machines.best(rng, any).value()];
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_GT(times[i], 150);
  EXPECT_EQ(times[0] + times[1] + times[2], 600);
  const auto slow = [](std::uint32_t machine) { return machine >= 3; };
  EXPECT_EQ(machines.best(rng, slow), 4u);
  machines.put(4, {1, 0.0});
  EXPECT_NE(machines.best(rng, slow), 4u);
  EXPECT_FALSE(machines.best(rng, [](std::uint32_t) { return false; }));
}

}  // namespace
}  // namespace dunlin::sim
