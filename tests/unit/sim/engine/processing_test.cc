// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <map>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/federation/global/global_master.h"
#include "sched/frontend/frontend.h"
#include "sim/engine/populate.h"
#include "sim/engine/simulation.h"

// Peers as single servers, and cells that stand from the start.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario federated(std::uint32_t frontends, std::uint32_t cells) {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 20s, .warm_up = 5s, .drain = 120s};
  scenario.cluster.start = Start::celled;
  scenario.cluster.peers = 60;
  scenario.cluster.cells = cells;
  scenario.network = {.latency_spread = Spread::constant, .latency = 1ms};
  scenario.workload = {.load = 0.3,
      .tasks_per_job = 10,
      .task_time = 500ms,
      .frontends = frontends,
      .first_job = 3s};
  scenario.peer.frontend.placement = sched::PlacementName::federated;
  // Each message is a turn: with early news all frontends would have more of them.
  scenario.peer.federation.park = false;
  scenario.peer.federation.news_within = 0s;
  return scenario;
}

struct ServedOutcome {
  Recorder::Counts counts;
  Duration allocation{0};
  Allocation parts;  ///< Means.
};

ServedOutcome served_outcome_of(const Scenario& scenario) {
  const auto sound = validate(scenario);
  EXPECT_TRUE(sound) << sound.error().text;
  Simulation run(scenario, nullptr);
  run.run();
  const AllocationSamples& parts = run.recorder().allocations();
  const Sample& allocation = run.recorder().all().queueing_delay;
  EXPECT_EQ(parts.framework_queue.count(), allocation.count());
  EXPECT_EQ(run.recorder().counts().jobs_finished, run.recorder().counts().jobs);
  return {run.recorder().counts(), *allocation.mean(),
      {.framework_queue = *parts.framework_queue.mean(),
          .local_queue = *parts.local_queue.mean(),
          .processing = *parts.processing.mean(),
          .worker_queue = *parts.worker_queue.mean(),
          .communication = *parts.communication.mean()}};
}

TEST(Processing, PartsOfAnAllocationAddUpToIt) {
  const ServedOutcome free = served_outcome_of(federated(3, 3));
  EXPECT_EQ(free.parts.processing, 0ns);
  EXPECT_EQ(free.parts.local_queue + free.parts.worker_queue, 0ns);
  EXPECT_NEAR(static_cast<double>(free.parts.sum().count()),
      static_cast<double>(free.allocation.count()), 5);
  Scenario scenario = federated(3, 3);
  scenario.processing = {.message = 100us, .word = 1us, .row = 1us};
  const ServedOutcome taken = served_outcome_of(scenario);
  EXPECT_GE(taken.parts.processing, 300us) << "a turn of each master, and of the worker";
  EXPECT_GT(taken.parts.local_queue, 0ns);
  EXPECT_GT(taken.parts.worker_queue, 0ns);
  EXPECT_GE(taken.parts.communication, 1900us) << "two trips, but of tasks of the own node";
  EXPECT_NEAR(static_cast<double>(taken.parts.sum().count()),
      static_cast<double>(taken.allocation.count()), 5);
}

/// 250 jobs a second of one task: their frontend hears of each three times (submit, answer to the
/// launch, end), which takes it 6 ms.
Scenario busy(std::uint32_t frontends, std::uint32_t cells) {
  Scenario scenario = federated(frontends, cells);
  scenario.workload.tasks_per_job = 1;
  scenario.workload.task_time = 100ms;
  scenario.workload.job_gap = 4ms;
  scenario.simulation = {.seed = 1, .duration = 5s, .warm_up = 1s, .drain = 60s};
  // To ask a peer again that has much to do makes it worse.
  scenario.peer.frontend.probe_timeout = 30s;
  scenario.peer.frontend.reprobe_period = 30s;
  scenario.peer.federation.launch_timeout = 30s;
  scenario.peer.worker.resend = 30s;
  scenario.processing.message = 2ms;
  return scenario;
}

TEST(Processing, ASaturatedPeerQueuesAndTwentyDoNot) {
  Scenario scenario = busy(1, 20);
  const ServedOutcome one = served_outcome_of(scenario);
  EXPECT_GT(one.parts.framework_queue, 200ms);
  scenario.workload.frontends = 20;
  const ServedOutcome many = served_outcome_of(scenario);
  EXPECT_LT(2 * many.parts.framework_queue, one.parts.framework_queue)
      << "with twenty there is hardly a queue once all views are there";
  EXPECT_EQ(many.counts.jobs, one.counts.jobs);
}

// No time at all is another path through the program, but the same run.
TEST(Processing, TimeThatHardlyCountsChangesHardlyAnything) {
  const ServedOutcome none = served_outcome_of(federated(3, 3));
  Scenario scenario = federated(3, 3);
  scenario.processing.message = 1ns;
  const ServedOutcome hardly = served_outcome_of(scenario);
  EXPECT_NEAR(static_cast<double>(hardly.allocation.count()),
      static_cast<double>(none.allocation.count()), 3e5);
}

TEST(Processing, ACrashedFrontendTakesNoJobsThatWaited) {
  Scenario scenario = busy(1, 20);
  scenario.simulation.duration = 8s;
  scenario.faults.crash_share = 1;
  scenario.faults.crash_at = 5s;
  Simulation run(scenario, nullptr);
  run.run();
  const auto& counts = run.recorder().counts();
  EXPECT_EQ(run.cluster().waiting_jobs(), 0u);
  EXPECT_GT(counts.jobs, 200u);
  EXPECT_GT(counts.jobs_refused, 850u) << "those of the last 3 s, and what waited";
}

class CelledTest : public ::testing::Test {
 protected:
  /// The managers of cells of nodes, by cell.
  static std::map<sched::CellId, std::uint32_t> managers(const Cluster& cluster) {
    std::map<sched::CellId, std::uint32_t> found;
    for (std::uint32_t i = 0; i < cluster.size(); ++i) {
      const sched::CellNode* const cells = cluster.peer(i).cells();
      if (cells == nullptr) continue;
      for (const auto& hosted : cells->hosted()) {
        if (!hosted->manager || hosted->level() > 0) continue;
        EXPECT_TRUE(found.emplace(hosted->cell(), i).second) << "two managers of one cell";
      }
    }
    return found;
  }
};

TEST_F(CelledTest, AllCellsStandWithTheirMembersAfterARoundTrip) {
  Scenario scenario = federated(4, 7);
  scenario.simulation = {.seed = 1, .duration = 100ms, .warm_up = 0s, .drain = 0s};
  scenario.workload.first_job = 50ms;
  Simulation run(scenario, nullptr);
  run.run();
  const Cluster& cluster = run.cluster();
  const auto managers = CelledTest::managers(cluster);
  EXPECT_EQ(managers.size(), 7u);
  std::map<sched::CellId, std::uint32_t> sizes;
  for (std::uint32_t i = 0; i < cluster.size(); ++i) {
    ASSERT_NE(cluster.peer(i).cells(), nullptr);
    const sched::CellMember& member = cluster.peer(i).cells()->member();
    EXPECT_TRUE(member.is_member()) << "peer " << i;
    ++sizes[member.cell()];
    EXPECT_EQ(i % 7, managers.at(member.cell()) % 7) << "peer " << i;
  }
  for (const auto& [cell, manager] : managers) {
    EXPECT_GE(manager, 4u) << "no frontend";
    const auto* const hosted = cluster.peer(manager).cells()->hosted(cell);
    EXPECT_EQ(hosted->books().ledger().state().nodes.size(), sizes.at(cell));
    EXPECT_TRUE(sizes.at(cell) == 8 || sizes.at(cell) == 9);
  }
}

// They last, and more nodes keep their books.
TEST_F(CelledTest, CellsStayAsTheyAre) {
  Scenario scenario = federated(4, 5);
  scenario.simulation = {.seed = 1, .duration = 90s, .warm_up = 0s, .drain = 0s};
  scenario.workload.load = 0.05;
  Simulation run(scenario, nullptr);
  run.run();
  const auto managers = CelledTest::managers(run.cluster());
  EXPECT_EQ(managers.size(), 5u);
  for (const auto& [cell, manager] : managers) {
    const auto* const hosted = run.cluster().peer(manager).cells()->hosted(cell);
    EXPECT_EQ(hosted->books().ledger().state().nodes.size(), 12u);
    EXPECT_EQ(hosted->group.members().size(), 3u);
  }
}

// A frontend attaches with its first job, which is probed for; it launches all others.
TEST_F(CelledTest, GlobalMastersLaunchWithinTheFirstHeartbeat) {
  Scenario scenario = federated(4, 5);
  scenario.simulation = {.seed = 1, .duration = 5s, .warm_up = 0s, .drain = 30s};
  scenario.workload.first_job = 10ms;
  Simulation run(scenario, nullptr);
  run.run();
  std::uint64_t placed = 0;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto* const master = run.cluster().peer(i).frontend()->master();
    ASSERT_NE(master, nullptr);
    EXPECT_EQ(master->cells().size(), 5u) << "frontend " << i;
    EXPECT_EQ(master->view().size(), 60u) << "frontend " << i;
    placed += master->counts().placed;
  }
  EXPECT_GT(placed, run.recorder().counts().tasks * 3 / 4);
}

TEST_F(CelledTest, CellsThatCannotStandAreRefused) {
  Scenario scenario = federated(4, 31);
  EXPECT_FALSE(validate(scenario)) << "60 peers are too few for 31 cells";
  scenario.cluster.cells = 5;
  EXPECT_TRUE(validate(scenario));
  scenario.peer.sharing.cell.sharing = sched::SharingMode::none;
  EXPECT_FALSE(validate(scenario));
}

}  // namespace
}  // namespace dunlin::sim
