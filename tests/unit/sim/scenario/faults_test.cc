// SPDX-License-Identifier: MIT
#include "sim/scenario/faults.h"

#include <gtest/gtest.h>

#include "sim/engine/simulation.h"

// Faults as peers meet them.
namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kPeers = 60;

/// Over whichever transport.
class FaultySimulation : public ::testing::TestWithParam<TransportKind> {};

Scenario gossip(TransportKind transport) {
  Scenario scenario;
  scenario.network = {.transport = transport, .latency_spread = Spread::racks, .rack_size = 20};
  scenario.simulation = {.seed = 3, .duration = 60s, .warm_up = 5s, .drain = 0s};
  scenario.cluster.peers = kPeers;
  scenario.workload = {.load = 0.05, .tasks_per_job = 2, .task_time = 500ms, .first_job = 3s};
  scenario.peer.directory.size_max = 0;
  return scenario;
}

/// Links from peers that are up to those that `predicate` holds for.
std::uint32_t links(const Cluster& cluster, auto&& predicate) {
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < cluster.size(); ++i) {
    if (!cluster.up(i)) continue;
    for (const overlay::PeerId id : cluster.peer(i).overlay().cyclon().view().ids()) {
      found += predicate(i, static_cast<std::uint32_t>(id.value - 1)) ? 1u : 0u;
    }
  }
  return found;
}

TEST_P(FaultySimulation, TheLivingForgetTheDead) {
  Scenario scenario = gossip(GetParam());
  scenario.faults = {.crash_share = 0.4, .crash_at = 15s};
  Simulation run(scenario, nullptr);
  run.run();
  const Cluster& cluster = run.cluster();
  std::uint32_t up = 0;
  for (std::uint32_t i = 0; i < kPeers; ++i) up += cluster.up(i) ? 1u : 0u;
  EXPECT_GT(up, kPeers / 3);
  EXPECT_LT(up, kPeers * 5 / 6);
  const auto dead = [&](std::uint32_t, std::uint32_t to) { return !cluster.up(to); };
  const auto any = [](std::uint32_t, std::uint32_t) { return true; };
  EXPECT_EQ(links(cluster, dead), 0u);
  EXPECT_GT(links(cluster, any), 15 * up);
}

TEST_P(FaultySimulation, WhoStartsAgainHasANewLifeAndIsKnown) {
  Scenario scenario = gossip(GetParam());
  scenario.faults = {.crash_share = 0.3, .crash_at = 15s, .restart_after = 5s};
  Simulation run(scenario, nullptr);
  run.run();
  const Cluster& cluster = run.cluster();
  std::uint32_t reborn = 0;
  for (std::uint32_t i = 0; i < kPeers; ++i) {
    ASSERT_TRUE(cluster.up(i));
    const bool again = cluster.peer(i).overlay().self().incarnation == 2;
    reborn += again ? 1u : 0u;
    const auto known = [&](std::uint32_t, std::uint32_t to) { return to == i; };
    EXPECT_GT(links(cluster, known), 2u) << "peer " << i;
  }
  EXPECT_GT(reborn, kPeers / 6);
}

// In the meantime no news of the other part arrives: views know it from memory, which fades.
TEST_P(FaultySimulation, PartsOfADividedNetworkForgetEachOtherAndMeetAgain) {
  Scenario scenario = gossip(GetParam());
  scenario.faults = {.partition_share = 0.4, .partition_from = 10s, .partition_until = 10min};
  const auto across = [](const Simulation& run) {
    const Faults& faults = run.cluster().faults();
    return links(run.cluster(),
        [&](std::uint32_t from, std::uint32_t to) { return faults.parted(Time{11s}, from, to); });
  };
  {
    Simulation run(scenario, nullptr);
    run.run();
    EXPECT_EQ(across(run), 0u);
  }
  scenario.faults.partition_until = 25s;
  Simulation run(scenario, nullptr);
  run.run();
  EXPECT_GT(across(run), kPeers);
}

INSTANTIATE_TEST_SUITE_P(
    Transports, FaultySimulation, ::testing::Values(TransportKind::context, TransportKind::udp));

}  // namespace
}  // namespace dunlin::sim
