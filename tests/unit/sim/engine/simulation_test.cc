// SPDX-License-Identifier: MIT
#include "sim/engine/simulation.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

#include "sim/report/report.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario small() {
  Scenario scenario;
  scenario.title = "small";
  scenario.simulation = {.seed = 1, .duration = 20s, .warm_up = 5s, .drain = 20s};
  scenario.cluster.peers = 40;
  scenario.workload = {.load = 0.6, .tasks_per_job = 20, .task_time = 500ms, .first_job = 3s};
  return scenario;
}

/// The JSON without what depends on the machine.
std::string figures_of(const Simulation& run) {
  const std::string json = json_of(run);
  return json.substr(0, json.find("\"cost\""));
}

TEST(Simulation, RunsEveryTaskOnceAndLosesNone) {
  Simulation run(small(), nullptr);
  run.run();
  const auto& counts = run.recorder().counts();
  EXPECT_GT(counts.jobs, 20u);
  EXPECT_EQ(counts.jobs_refused, 0u);
  EXPECT_EQ(counts.jobs_finished, counts.jobs);
  EXPECT_EQ(counts.tasks_succeeded, counts.tasks);
  EXPECT_EQ(counts.tasks_started, counts.tasks);
  EXPECT_EQ(run.cluster().results(), counts.tasks);
  EXPECT_EQ(counts.attempts_lost, 0u);
}

// Reservation there, question back, task there: nothing starts sooner on another node. At this load
// most tasks should start just then; some run where they were submitted, and those start at once.
TEST(Simulation, QueueingDelayHasItsFloor) {
  Scenario scenario = small();
  scenario.network = {.latency_spread = Spread::constant, .latency = 1ms};
  scenario.workload.load = 0.2;
  Simulation run(scenario, nullptr);
  run.run();
  const Sample& delay = run.recorder().all().queueing_delay;
  EXPECT_GT(delay.count(), 100u);
  const auto points = delay.distribution();
  const bool none_between = std::ranges::none_of(
      points, [](const auto& point) { return point.value > 100us && point.value < 2980us; });
  EXPECT_TRUE(none_between);
  EXPECT_GE(delay.percentile(50), 2980us);
  EXPECT_LT(delay.percentile(50), 4100us);
}

TEST(Simulation, UtilisationIsTheLoadOffered) {
  Scenario scenario = small();
  scenario.simulation.duration = 60s;
  scenario.workload.load = 0.5;
  scenario.workload.durations = Durations::constant;
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_NEAR(run.recorder().utilisation().value(), 0.5, 0.1);
}

TEST(Simulation, SameSeedSameFigures) {
  std::string table, figures;
  std::ostringstream first, second;
  {
    Trace trace(first);
    Simulation run(small(), &trace);
    run.run();
    table = table_of(run);
    figures = figures_of(run);
  }
  Trace trace(second);
  Simulation run(small(), &trace);
  run.run();
  EXPECT_EQ(table_of(run), table);
  EXPECT_EQ(figures_of(run), figures);
  EXPECT_TRUE(first.str() == second.str());
  EXPECT_GT(first.str().size(), 100'000u);
}

TEST(Simulation, AnotherSeedIsAnotherRun) {
  Scenario scenario = small();
  std::string figures;
  {
    Simulation run(scenario, nullptr);
    run.run();
    figures = table_of(run);
  }
  scenario.simulation.seed = 2;
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_NE(table_of(run), figures);
}

// Every byte of an encoded run is counted; without the codec a sample must tell the same.
TEST(Simulation, EstimatesBytesWell) {
  Scenario scenario = small();
  std::uint64_t estimated = 0, messages = 0;
  {
    Simulation run(scenario, nullptr);
    run.run();
    const auto all = run.cluster().traffic().sum(0, kMessageKinds);
    estimated = all.bytes();
    messages = all.messages;
  }
  scenario.network.codec = true;
  Simulation run(scenario, nullptr);
  run.run();
  const auto exact = run.cluster().traffic().sum(0, kMessageKinds);
  EXPECT_EQ(exact.messages, messages);
  EXPECT_NEAR(static_cast<double>(estimated) / static_cast<double>(exact.bytes()), 1, 0.02);
}

TEST(Report, ShortTexts) {
  EXPECT_EQ(short_text(0ns), "0 ns");
  EXPECT_EQ(short_text(1500us), "1.50 ms");
  EXPECT_EQ(short_text(13'740us), "13.7 ms");
  EXPECT_EQ(short_text(999'900us), "1.00 s");
  EXPECT_EQ(short_text(250s), "250 s");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(999), "999");
}

}  // namespace
}  // namespace dunlin::sim
