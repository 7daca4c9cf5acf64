// SPDX-License-Identifier: MIT
#include "sim/measure/sharing.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "sched/cell/cell_node.h"
#include "sim/engine/outages.h"
#include "sim/engine/populate.h"
#include "sim/engine/raft_disk.h"
#include "sim/engine/simulation.h"
#include "sim/report/report.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario shared(const std::vector<std::string>& settings = {}) {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 75s, .warm_up = 45s, .drain = 0s};
  scenario.cluster.peers = 12;
  scenario.cluster.start = Start::wired;
  scenario.workload = {
      .kind = WorkloadKind::classes, .tasks_per_job = 4, .task_time = 500ms, .first_job = 15s};
  scenario.classes.shares = "web=5, batch=3, test=2";
  scenario.classes.set_at = 2s;
  scenario.peer.sharing.cell.cell_size = 4;
  scenario.measures.health_period = 1s;
  scenario.measures.health_sample = 2;
  EXPECT_TRUE(apply_settings(scenario, settings));
  const auto sound = validate(scenario);
  EXPECT_TRUE(sound) << sound.error().text;
  return scenario;
}

bool is_settled(const Sharing& sharing) {
  return sharing.settled();
}

TEST(SharingInSimulation, ClassesGetTheirShares) {
  Simulation run(shared(), nullptr);
  run.run();
  const auto shares = run.shared();
  EXPECT_LT(shares.worst_error, 0.1);
  EXPECT_EQ(shares.broken, 0u) << shares.trouble;
  EXPECT_GT(shares.busiest_messages_per_s, shares.mean_messages_per_s);
  EXPECT_TRUE(run.sharing().took(Time{2s}, Time::max(), is_settled));
  const Sharing& last = run.health().back().sharing;
  EXPECT_EQ(last.trees, 1);
  EXPECT_EQ(last.levels, 2);
  EXPECT_GE(last.cells, 3);
  EXPECT_GT(last.busy, 0.95);
  EXPECT_GT(last.balance, 0.95);
}

TEST(SharingInSimulation, SaysWhatTheBusiestManagerDoes) {
  Simulation run(shared({"measures.cell_cpu=true"}), nullptr);
  run.run();
  const auto shared = run.shared();
  const auto sum = [](const auto& rates) {
    return std::accumulate(rates.begin(), rates.end(), 0.0);
  };
  EXPECT_NEAR(sum(shared.busiest_kinds_per_s), shared.busiest_messages_per_s, 1e-6);
  EXPECT_LE(sum(shared.busiest_levels_per_s), shared.busiest_messages_per_s);
  EXPECT_GT(shared.busiest_of_level[0], 0);
  EXPECT_GT(shared.busiest_of_level[1], 0);
  EXPECT_EQ(shared.busiest_of_level[3], 0);
  EXPECT_GT(shared.busiest_cpu_ms_per_s, shared.mean_cpu_ms_per_s);
  EXPECT_NE(json_of(run).find("cells_cpu_ms_per_s"), std::string::npos);
}

// It depends on the machine, and a run is to give the same bytes on each.
TEST(SharingInSimulation, CpuTimeIsNotMeasuredUnlessItIsAskedFor) {
  Scenario scenario = shared();
  scenario.simulation = {.seed = 1, .duration = 20s, .warm_up = 10s, .drain = 0s};
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_EQ(run.shared().busiest_cpu_ms_per_s, 0);
  EXPECT_EQ(json_of(run).find("cells_cpu_ms_per_s"), std::string::npos);
  const Sharing& last = run.health().back().sharing;
  ASSERT_EQ(last.shares.size(), 3u);
  EXPECT_NEAR(std::accumulate(last.shares.begin(), last.shares.end(), 0.0), 1, 1e-6);
  EXPECT_NEAR(last.desired[0], 0.5, 1e-6);
}

TEST(SharingInSimulation, WithoutSharingTheyDoNot) {
  Simulation run(shared({"cell.sharing=none"}), nullptr);
  run.run();
  EXPECT_GT(run.shared().worst_error, 0.2);
  EXPECT_EQ(run.health().back().sharing.replicas, 0);
  EXPECT_EQ(run.shared().busiest_messages_per_s, 0);
}

TEST(SharingInSimulation, ManagersThatDieAreReplacedAndComeBackWithTheirBooks) {
  Simulation run(
      shared({"faults.managers=2", "faults.managers_at=50s", "faults.managers_down=5s"}), nullptr);
  run.run();
  EXPECT_TRUE(run.sharing().took(Time{50s}, Time::max(), is_settled));
  EXPECT_FALSE(run.sharing().took(Time{2s}, Time{51s}, is_settled));
  EXPECT_EQ(run.shared().broken, 0u) << run.shared().trouble;
}

// The books of the root never have a manager again: its cells find another root after their leases.
TEST(SharingInSimulation, ARootThatLosesItsMajorityForGoodIsReplaced) {
  Scenario scenario =
      shared({"faults.quorums=1", "faults.managers_level=1", "faults.managers_at=50s"});
  scenario.simulation.duration = 130s;
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_FALSE(any_returns(scenario.faults));
  const auto peers = peers_alive(run.cluster(), scenario.cluster);
  EXPECT_GE(std::ranges::count(peers, nullptr), 2) << "more than one voter died";
  const auto took = run.sharing().took(Time{50s}, Time::max(), is_settled);
  ASSERT_TRUE(took) << "one tree with grants again";
  EXPECT_GT(*took, scenario.peer.sharing.cell.lease) << "not before the leases were over";
  EXPECT_EQ(managers_of(peers, 1).size(), 1u);
  EXPECT_EQ(run.shared().broken, 0u) << run.shared().trouble;
}

// Roots of several levels must find each other among many cells, and stay one tree; and nearly all
// cells founded are needed.
TEST(SharingInSimulation, HundredsOfNodesBecomeOneTree) {
  Scenario scenario = shared({"cluster.peers=200", "cell_size=5", "fan_out=5"});
  scenario.simulation = {.seed = 3, .duration = 130s, .warm_up = 10s, .drain = 0s};
  scenario.workload = {.load = 0.01, .tasks_per_job = 20, .first_job = 100s};
  scenario.measures.health_period = 5s;
  scenario.peer.directory.size_max = 0;
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_TRUE(run.sharing().took(Time{2s}, Time::max(), is_settled));
  const Sharing& last = run.health().back().sharing;
  EXPECT_GE(last.levels, 4);
  EXPECT_LE(last.cells, 90);
  EXPECT_EQ(run.shared().broken, 0u) << run.shared().trouble;
}

// Dormant sharing costs nothing and sends nothing.
TEST(SharingInSimulation, WithoutClassesThereAreNoCells) {
  Scenario scenario = shared();
  scenario.classes.shares = "";
  scenario.workload.kind = WorkloadKind::synthetic;
  Simulation run(scenario, nullptr);
  run.run();
  const auto& traffic = run.cluster().traffic();
  EXPECT_EQ(traffic.sum(kOverlayKinds + kSchedKinds, kMessageKinds).messages, 0u);
  for (std::uint32_t i = 0; i < run.cluster().size(); ++i) {
    EXPECT_EQ(run.cluster().peer(i).cells(), nullptr);
  }
}

TEST(SharingInSimulation, EveryTransportCarriesCellsAndTheCodecChangesNothing) {
  const auto figures = [](const std::string& setting) {
    Scenario scenario = shared({setting, "latency_spread=constant"});
    scenario.simulation.duration = 50s;
    scenario.simulation.warm_up = 45s;
    Simulation run(scenario, nullptr);
    run.run();
    const Sharing& last = run.health().back().sharing;
    EXPECT_EQ(last.members, 1) << setting;
    return std::tuple(last.cells, last.replicas, run.recorder().counts().tasks_started);
  };
  const auto plain = figures("transport=context");
  EXPECT_EQ(plain, figures("network.codec=true"));
  EXPECT_EQ(plain, figures("transport=fabric"));
}

TEST(RaftDisk, KeepsWhatALaterLifeNeeds) {
  RaftDisk disk;
  disk.put_state({.group = 7, .replica = 3, .term = 2, .vote = 3});
  const std::vector<sched::RaftEntry> entries = {
      {.index = 1, .term = 1, .data = "a"}, {.index = 2, .term = 2, .data = "b"}};
  disk.append(7, entries);
  disk.truncate(7, 2);
  disk.put_snapshot(7, {.index = 1, .term = 1, .data = "snapshot"}, 2);
  disk.put_state({.group = 9, .replica = 4});
  disk.forget_group(9);
  const auto contents = disk.contents();
  ASSERT_EQ(contents.size(), 1u);
  EXPECT_EQ(contents[0].state.term, 2u);
  EXPECT_TRUE(contents[0].entries.empty());
  EXPECT_EQ(contents[0].snapshot->data, "snapshot");
}

}  // namespace
}  // namespace dunlin::sim
