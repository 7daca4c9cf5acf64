// SPDX-License-Identifier: MIT
#include "sim/baseline/baseline.h"

#include <gtest/gtest.h>

#include "sim/engine/simulation.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario small(Scheduler scheduler) {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 60s, .warm_up = 5s, .drain = 60s};
  scenario.cluster.peers = 50;
  scenario.network = {.latency_spread = Spread::constant, .latency = 1ms};
  scenario.workload = {.load = 0.8, .tasks_per_job = 20, .task_time = 500ms, .first_job = 3s};
  scenario.baseline.scheduler = scheduler;
  return scenario;
}

struct Outcome {
  Recorder::Counts counts;
  Duration delay{0};
  Duration least{0};
  double utilisation = 0;
};

Outcome outcome_of(const Scenario& scenario) {
  Simulation run(scenario, nullptr);
  run.run();
  const Histogram& delay = run.recorder().of(JobClass::all).delay;
  return {run.recorder().counts(), delay.mean(), delay.least(), run.recorder().utilisation()};
}

TEST(Baseline, EachRunsEveryTaskOnce) {
  for (const auto scheduler : {Scheduler::omniscient, Scheduler::central, Scheduler::batch,
           Scheduler::per_task, Scheduler::random}) {
    const Outcome outcome = outcome_of(small(scheduler));
    const auto name = static_cast<int>(scheduler);
    EXPECT_GT(outcome.counts.jobs, 500u) << name;
    EXPECT_EQ(outcome.counts.jobs_finished, outcome.counts.jobs) << name;
    EXPECT_EQ(outcome.counts.tasks_started, outcome.counts.tasks) << name;
    EXPECT_EQ(outcome.counts.tasks_succeeded, outcome.counts.tasks) << name;
    EXPECT_NEAR(outcome.utilisation, 0.8, 0.15) << name;
  }
}

// The jobs are the same whoever places them, and knowledge is worth what the papers say.
TEST(Baseline, TheMoreIsKnownTheLessIsWaited) {
  const Outcome omniscient = outcome_of(small(Scheduler::omniscient));
  Scenario in_order = small(Scheduler::dunlin);
  in_order.peer.worker.discipline = sched::DisciplineName::fifo;
  const Outcome dunlin = outcome_of(in_order);
  const Outcome batch = outcome_of(small(Scheduler::batch));
  const Outcome per_task = outcome_of(small(Scheduler::per_task));
  const Outcome random = outcome_of(small(Scheduler::random));
  EXPECT_EQ(omniscient.counts.tasks, dunlin.counts.tasks);
  EXPECT_EQ(omniscient.counts.tasks, random.counts.tasks);
  EXPECT_LT(omniscient.delay, dunlin.delay);
  // What the omniscient scheduler does not use is how long jobs take.
  EXPECT_LT(outcome_of(small(Scheduler::dunlin)).delay, dunlin.delay);
  EXPECT_LT(dunlin.delay, batch.delay);
  EXPECT_LT(batch.delay, per_task.delay);
  EXPECT_LT(per_task.delay, random.delay);
}

// How many messages a task must wait for where there is room for all.
TEST(Baseline, FloorsAreTheTripsOfTheirMessages) {
  const auto floor = [](Scheduler scheduler) {
    Scenario scenario = small(scheduler);
    scenario.workload.load = 0.01;
    scenario.simulation.duration = 600s;
    return static_cast<double>(outcome_of(scenario).delay.count());
  };
  // A few of 50 machines are the frontend's own: those trips cost nothing.
  EXPECT_NEAR(floor(Scheduler::omniscient), 1e6, 1e3);
  EXPECT_NEAR(floor(Scheduler::batch), 3e6, 0.3e6);
  const double decisions = 20 * 100e3;  // The last of 20 tasks waits for all decisions.
  EXPECT_NEAR(floor(Scheduler::central), 2e6 + decisions, 0.3e6);
}

TEST(Baseline, OmniscientNeverLeavesATaskWaitingBesideRoom) {
  Scenario scenario = small(Scheduler::omniscient);
  scenario.workload = {.load = 1.5, .tasks_per_job = 20, .task_time = 500ms, .first_job = 1s};
  scenario.simulation.drain = 120s;
  EXPECT_GT(outcome_of(scenario).utilisation, 0.99);
}

TEST(Baseline, SparrowIsASettingOfThePeers) {
  Scenario scenario = small(Scheduler::sparrow);
  EXPECT_EQ(scenario.peer_in_effect().frontend.hops_max, 0);
  EXPECT_EQ(scenario.peer_in_effect().frontend.placement, sched::Placement::random);
  EXPECT_NE(scenario.peer.frontend.hops_max, 0);  // What was asked for stays on record.
}

}  // namespace
}  // namespace dunlin::sim
