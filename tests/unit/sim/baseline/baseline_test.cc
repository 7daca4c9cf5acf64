// SPDX-License-Identifier: MIT
#include "sim/baseline/baseline.h"

#include <gtest/gtest.h>

#include "sim/engine/simulation.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario loaded(Scheduler scheduler) {
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
  Duration min{0};
  double utilisation = 0;
  NodeLoads::Result nodes;
};

Outcome outcome_of(const Scenario& scenario) {
  Simulation run(scenario, nullptr);
  run.run();
  const Sample& delay = run.recorder().of(JobClass::all).delay;
  return {run.recorder().counts(), delay.mean().value(), delay.min().value(),
      run.recorder().utilisation().value(), run.recorder().nodes().value()};
}

TEST(Baseline, EachRunsEveryTaskOnce) {
  for (const auto scheduler : {Scheduler::omniscient, Scheduler::central, Scheduler::batch,
           Scheduler::per_task, Scheduler::random, Scheduler::early_binding, Scheduler::sparrow}) {
    const Outcome outcome = outcome_of(loaded(scheduler));
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
  const Outcome omniscient = outcome_of(loaded(Scheduler::omniscient));
  Scenario in_order = loaded(Scheduler::dunlin);
  in_order.peer.worker.discipline = sched::DisciplineName::fifo;
  const Outcome dunlin = outcome_of(in_order);
  const Outcome batch = outcome_of(loaded(Scheduler::batch));
  const Outcome per_task = outcome_of(loaded(Scheduler::per_task));
  const Outcome random = outcome_of(loaded(Scheduler::random));
  EXPECT_EQ(omniscient.counts.tasks, dunlin.counts.tasks);
  EXPECT_EQ(omniscient.counts.tasks, random.counts.tasks);
  EXPECT_LT(omniscient.delay, dunlin.delay);
  // The omniscient scheduler does not use the run times of jobs.
  EXPECT_LT(outcome_of(loaded(Scheduler::dunlin)).delay, dunlin.delay);
  EXPECT_LT(dunlin.delay, batch.delay);
  EXPECT_LT(batch.delay, per_task.delay);
  EXPECT_LT(per_task.delay, random.delay);
}

// Load balance at partial load: a scheduler that knows all queues evens them out, one that knows
// none leaves machines with queues beside idle ones. Over a minute both serve nearly as evenly.
TEST(Baseline, TheMoreIsKnownTheMoreEvenIsTheLoad) {
  const auto nodes_of = [](Scheduler scheduler) {
    Scenario scenario = loaded(scheduler);
    scenario.workload.load = 0.5;
    scenario.workload.tasks_per_job = 1;
    return outcome_of(scenario).nodes;
  };
  const auto omniscient = nodes_of(Scheduler::omniscient);
  const auto dunlin = nodes_of(Scheduler::dunlin);
  const auto random = nodes_of(Scheduler::random);
  EXPECT_GT(omniscient.load_balance, dunlin.load_balance);
  EXPECT_GT(dunlin.load_balance, random.load_balance);
  for (const auto& each : {omniscient, dunlin, random}) {
    // 50 machines of 4 slots, half of them busy with tasks of 500 ms: 4 a second by each.
    EXPECT_NEAR(each.mean_per_s, 4, 0.4);
    EXPECT_LT(each.min_per_s, each.mean_per_s);
    EXPECT_GT(each.max_per_s, each.mean_per_s);
    EXPECT_GT(each.balance.value(), 0.9);
  }
}

// The messages for which a task must wait where there is room for all.
TEST(Baseline, FloorsAreTheTripsOfTheirMessages) {
  const auto floor = [](Scheduler scheduler) {
    Scenario scenario = loaded(scheduler);
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
  Scenario scenario = loaded(Scheduler::omniscient);
  scenario.workload = {.load = 1.5, .tasks_per_job = 20, .task_time = 500ms, .first_job = 1s};
  scenario.simulation.drain = 120s;
  EXPECT_GT(outcome_of(scenario).utilisation, 0.99);
}

TEST(Baseline, SamplingIsASettingOfThePeers) {
  Scenario scenario = loaded(Scheduler::sampling);
  EXPECT_EQ(scenario.peer_in_effect().frontend.hops_max, 0);
  EXPECT_EQ(scenario.peer_in_effect().frontend.placement, sched::PlacementName::random);
  EXPECT_NE(scenario.peer.frontend.hops_max, 0);  // The setting that was asked for stays on record.
  scenario.baseline.scheduler = Scheduler::tman;
  EXPECT_EQ(scenario.peer_in_effect().frontend.hops_max, 0);
  EXPECT_EQ(scenario.peer_in_effect().frontend.placement, sched::PlacementName::tman);
}

// What a probe too many has allocated is given back after a round trip, or held for nothing.
TEST(Baseline, EarlyBindingPaysForProbesThatItDoesNotGiveBack) {
  const auto delay = [](bool gives_back, double probes) {
    Scenario scenario = loaded(Scheduler::early_binding);
    scenario.workload.load = 0.4;
    scenario.baseline.gives_back = gives_back;
    scenario.baseline.probes = probes;
    return outcome_of(scenario).delay;
  };
  EXPECT_EQ(delay(true, 1), delay(false, 1)) << "none is too many";
  EXPECT_LT(delay(true, 2), delay(true, 1)) << "of two machines the first with room wins";
  EXPECT_LT(delay(true, 4), delay(false, 4));
}

}  // namespace
}  // namespace dunlin::sim
