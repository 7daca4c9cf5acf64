// SPDX-License-Identifier: MIT
#include "sim/baseline/megha.h"

#include <gtest/gtest.h>

#include "sim/engine/simulation.h"

// Paper tests for what Megha does by itself, where it is alone: claims of its section IV.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario masters(std::uint32_t global, std::uint32_t local) {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 60s, .warm_up = 5s, .drain = 300s};
  scenario.cluster.peers = 50;
  scenario.cluster.cells = local;
  scenario.network = {.latency_spread = Spread::constant, .latency = 1ms};
  scenario.workload = {
      .load = 0.8, .tasks_per_job = 20, .task_time = 500ms, .frontends = global, .first_job = 3s};
  scenario.baseline.scheduler = Scheduler::megha;
  return scenario;
}

struct MeghaOutcome {
  Recorder::Counts counts;
  MasterCounts masters;
  Duration allocation{0};
  Duration allocation_min{0};
  Duration parts{0};
  Duration processing{0};
  std::vector<double> occupied;
};

MeghaOutcome megha_outcome_of(const Scenario& scenario) {
  const auto sound = validate(scenario);
  EXPECT_TRUE(sound) << sound.error().text;
  Simulation run(scenario, nullptr);
  run.run();
  const AllocationSamples& parts = run.recorder().allocations();
  const Sample& allocation = run.recorder().all().queueing_delay;
  EXPECT_EQ(parts.framework_queue.count(), allocation.count());
  return {run.recorder().counts(), *run.baseline()->master_counts(), *allocation.mean(),
      *allocation.min(),
      *parts.framework_queue.mean() + *parts.local_queue.mean() + *parts.processing.mean() +
          *parts.worker_queue.mean() + *parts.communication.mean(),
      *parts.processing.mean(), run.shared().occupied};
}

TEST(Megha, RunsEveryTaskOnceWhateverTheNumbersOfMasters) {
  for (const auto& [global, local] : {std::pair(1u, 1u), {3u, 5u}, {10u, 1u}, {1u, 10u}}) {
    const MeghaOutcome outcome = megha_outcome_of(masters(global, local));
    EXPECT_GT(outcome.counts.jobs, 500u);
    EXPECT_EQ(outcome.counts.jobs_finished, outcome.counts.jobs);
    EXPECT_EQ(outcome.counts.tasks_started, outcome.counts.tasks);
    EXPECT_EQ(outcome.masters.placed, outcome.counts.tasks);
    EXPECT_EQ(outcome.masters.matches, outcome.counts.tasks + outcome.masters.inconsistencies());
  }
}

// Section III: to a local master, and to a worker.
TEST(Megha, AnAllocationIsTheSumOfItsPartsAndTakesTwoTripsAtLeast) {
  Scenario scenario = masters(3, 5);
  const MeghaOutcome no_time = megha_outcome_of(scenario);
  EXPECT_EQ(no_time.processing, 0ns);
  EXPECT_NEAR(static_cast<double>(no_time.parts.count()),
      static_cast<double>(no_time.allocation.count()), 5);
  EXPECT_LE(no_time.allocation_min, 2ms);
  scenario.processing = {.message = 100us, .word = 1us, .row = 1us};
  const MeghaOutcome with_time = megha_outcome_of(scenario);
  EXPECT_GE(with_time.processing, 200us) << "a turn of each master";
  EXPECT_GT(with_time.allocation_min, no_time.allocation_min + 200us);
  EXPECT_NEAR(static_cast<double>(with_time.parts.count()),
      static_cast<double>(with_time.allocation.count()), 5);
}

// Section V: one of each is a centralised scheduler, which knows all by itself.
TEST(Megha, OneOfEachNeverErrsAndBorrowsNothing) {
  const MeghaOutcome one = megha_outcome_of(masters(1, 1));
  EXPECT_EQ(one.masters.inconsistencies(), 0u);
  EXPECT_EQ(one.masters.repartitions, 0u);
  const MeghaOutcome many = megha_outcome_of(masters(5, 3));
  EXPECT_GT(many.masters.internal, 0u);
  EXPECT_GT(many.masters.external, 0u);
  EXPECT_GT(many.masters.repartitions, 0u);
  EXPECT_EQ(many.masters.repairs, 0u);
}

// The published simulator deals jobs by the number of their tasks: of jobs of one size one master
// has all, and its view is wrong about nothing that another did.
TEST(Megha, DealsJobsByTheNumberOfTheirTasks) {
  Scenario scenario = masters(3, 5);
  EXPECT_GT(megha_outcome_of(scenario).masters.inconsistencies(), 0u);
  scenario.baseline.dispatch = MeghaDispatch::tasks;
  const MeghaOutcome outcome = megha_outcome_of(scenario);
  EXPECT_EQ(outcome.masters.inconsistencies(), 0u);
  EXPECT_GT(outcome.masters.repartitions, 0u) << "it has a third of the machines for its own";
  EXPECT_EQ(outcome.counts.jobs_finished, outcome.counts.jobs);

  scenario.classes.shares = "small=1, large=3";
  scenario.classes.at = "small=0, large=1";
  const auto both = validate(scenario);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().kind, ErrorKind::usage);
  EXPECT_NE(both.error().text.find("baseline.dispatch"), std::string::npos) << both.error().text;
}

// There, too, the end of a task tells its master of all machines: one that is not told so waits
// longer for what other masters' tasks leave.
TEST(Megha, NewsOfAllLocalMastersFindRoomSooner) {
  Scenario scenario = masters(5, 10);
  scenario.workload.load = 0.9;
  const MeghaOutcome own = megha_outcome_of(scenario);
  scenario.baseline.news = MeghaNews::all;
  const MeghaOutcome all = megha_outcome_of(scenario);
  EXPECT_LT(all.allocation, own.allocation);
  EXPECT_EQ(all.counts.jobs_finished, all.counts.jobs);
}

// All rows in each answer cost time, and tell nothing more.
TEST(Megha, FullUpdatesCostWhatTheirRowsDo) {
  Scenario scenario = masters(3, 1);
  scenario.processing.row = 20us;
  const MeghaOutcome delta = megha_outcome_of(scenario);
  scenario.baseline.updates = RowUpdates::full;
  const MeghaOutcome full = megha_outcome_of(scenario);
  EXPECT_GT(full.processing, delta.processing + 500us) << "50 rows of 20 us";
  EXPECT_EQ(full.counts.jobs_finished, full.counts.jobs);
}

// Section IV-C: under contention a queue has its share, by preempting those above theirs; without
// contention none preempts.
TEST(Megha, QueuesBelowTheirSharesPreempt) {
  Scenario scenario = masters(2, 2);
  scenario.cluster.cpus = 1;
  scenario.classes.shares = "small=1, large=3";
  scenario.classes.at = "small=0, large=1";
  scenario.workload.load = 0.2;
  EXPECT_EQ(megha_outcome_of(scenario).masters.preemptions, 0u);

  // Nearly all that comes is of the one whose share is small: it has the others' room until they
  // come.
  scenario.workload.load = 1.5;
  scenario.classes.jobs = "small=3, large=1";
  const MeghaOutcome outcome = megha_outcome_of(scenario);
  EXPECT_GT(outcome.masters.preemptions, 0u);
  EXPECT_GE(outcome.masters.preemption_attempts, outcome.masters.preemptions);
  EXPECT_EQ(outcome.counts.jobs_finished, outcome.counts.jobs) << "victims run again";
  EXPECT_GT(outcome.counts.tasks_started, outcome.counts.tasks);
}

}  // namespace
}  // namespace dunlin::sim
