// SPDX-License-Identifier: MIT
#include "sim/engine/job_lister.h"

#include <gtest/gtest.h>

#include "sim/engine/simulation.h"
#include "sim/measure/traffic.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario listed_scenario() {
  Scenario scenario;
  scenario.cluster.peers = 60;
  scenario.cluster.start = Start::wired;
  scenario.network.latency = 500us;
  scenario.simulation = {.duration = 63s, .warm_up = 50s, .drain = 0s};
  scenario.workload.load = 0.2;
  scenario.peer.sharing.cell.form = sched::CellForm::always;
  scenario.peer.sharing.cell.cell_size = 10;
  scenario.peer.directory.size_max = 0;
  scenario.measures.list_at = 60s;
  scenario.measures.list_period = 500ms;
  return scenario;
}

TEST(JobLister, FindsAllNodesInAFewRoundTrips) {
  Simulation run(listed_scenario(), nullptr);
  run.run();
  const ListingMeter& meter = run.listing();
  EXPECT_EQ(meter.lists(), 6u);
  EXPECT_EQ(meter.nodes, 6u * 60);
  EXPECT_EQ(meter.silent + meter.missed + meter.cells_silent, 0u);
  EXPECT_GT(meter.jobs, 0u);
  EXPECT_LT(meter.took.max(), 20ms);
  const auto sent = run.cluster().traffic().sum(kListingKinds.first, kListingKinds.second);
  EXPECT_GE(sent.messages, 6u * 2 * 50) << "to and from each member that manages nothing";
}

TEST(JobLister, NamesTheDeadAndTakesNoLongerThanItMay) {
  Scenario scenario = listed_scenario();
  scenario.faults.crash_share = 0.1;
  scenario.faults.crash_at = 60s;
  Simulation run(scenario, nullptr);
  run.run();
  const ListingMeter& meter = run.listing();
  EXPECT_GT(meter.lists(), 0u);
  EXPECT_GT(meter.silent + meter.cells_silent, 0u);
  EXPECT_GT(meter.took.max(), 200ms);
  EXPECT_LE(meter.took.max(), sched::Listing::kWaitMax + 1ms);
}

TEST(JobLister, NobodyListsUnlessAsked) {
  Scenario scenario = listed_scenario();
  scenario.measures.list_at = 0s;
  scenario.simulation.duration = 61s;
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_EQ(run.listing().lists(), 0u);
  EXPECT_EQ(run.cluster().traffic().sum(kListingKinds.first, kListingKinds.second).messages, 0u);
}

}  // namespace
}  // namespace dunlin::sim
