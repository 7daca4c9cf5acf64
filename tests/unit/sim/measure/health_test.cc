// SPDX-License-Identifier: MIT
#include "sim/measure/health.h"

#include <gtest/gtest.h>

#include "sim/engine/simulation.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

Scenario quiet() {
  Scenario scenario;
  scenario.simulation = {.seed = 1, .duration = 40s, .warm_up = 5s, .drain = 1s};
  scenario.cluster.peers = 100;
  scenario.workload = {.load = 0.3, .tasks_per_job = 5, .task_time = 2s, .first_job = 20s};
  scenario.measures.health_period = 10s;
  return scenario;
}

TEST(Health, AnOverlayGrowsWellAndKnowsItsNeighbours) {
  Simulation run(quiet(), nullptr);
  run.run();
  const auto& looks = run.health();
  ASSERT_GE(looks.size(), 4u);
  EXPECT_EQ(looks.front().peers, 1u);  // The first is born at once, the others after it.
  const Health& later = looks[2];
  EXPECT_EQ(later.at, Time{20s});
  EXPECT_EQ(later.peers, 100u);
  EXPECT_GT(later.view_size, 15);
  EXPECT_LE(later.view_size, 20);
  EXPECT_EQ(later.dead_links, 0);
  EXPECT_EQ(later.unreachable, 0);
  EXPECT_GT(later.path_length, 1);
  EXPECT_LT(later.path_length, 3);
  EXPECT_GT(later.clustering, 0);
  EXPECT_LT(later.clustering, 0.5);
  EXPECT_GT(later.in_degree_deviation, 0);
  // Nobody works yet: what is said of idle peers stays true, however old it is.
  EXPECT_EQ(later.utility_error, 0);
  EXPECT_GT(later.ideal_neighbours, 0.5);
  EXPECT_GT(looks[3].utility_error, 0);
}

TEST(Health, LinksToTheDeadAreCountedAndNotFollowed) {
  Simulation run(quiet(), nullptr);
  run.run();
  std::vector<const sched::Peer*> peers;
  for (std::uint32_t i = 0; i < 100; ++i) peers.push_back(&run.cluster().peer(i));
  for (std::size_t i = 50; i < 100; ++i) peers[i] = nullptr;
  Rng rng{1};
  const Health half = health_of({.now = run.ended(), .peers = peers, .gradient = {}}, 10, rng);
  EXPECT_EQ(half.peers, 50u);
  EXPECT_NEAR(half.dead_links, 0.5, 0.1);
  EXPECT_NEAR(half.dead_random_links, 0.5, 0.1);
  EXPECT_EQ(half.cross_links, 0);
  EXPECT_LT(half.view_size, 15);
  const std::vector<const sched::Peer*> none(3, nullptr);
  EXPECT_EQ(health_of({.now = run.ended(), .peers = none, .gradient = {}}, 10, rng).peers, 0u);
}

TEST(Health, TellsRandomLinksToTheDeadFromOthersAndCountsThoseAcrossABorder) {
  Scenario scenario = quiet();
  scenario.faults = {.partition_share = 0.5, .partition_from = 15s, .partition_until = 200s};
  scenario.simulation.duration = 100s;
  Simulation run(scenario, nullptr);
  run.run();
  const auto& looks = run.health();
  EXPECT_NEAR(looks[1].cross_links, 0.5, 0.15);  // Before the network was divided.
  EXPECT_EQ(looks.back().cross_links, 0);
  EXPECT_EQ(looks.back().dead_random_links, 0);
  EXPECT_GT(looks.back().unreachable, 0.3);
}

// Peers that are wired know others that join a moment later. The first look of a healthy cluster
// took these for dead: all links of the one peer there was.
TEST(Health, PeersThatAreStillToJoinAreNotDead) {
  Scenario scenario = quiet();
  scenario.cluster.start = Start::wired;
  scenario.cluster.join_within = 15s;
  Simulation run(scenario, nullptr);
  run.run();
  const auto& looks = run.health();
  ASSERT_GE(looks.size(), 3u);
  EXPECT_EQ(looks[0].peers, 1u);
  EXPECT_GT(looks[1].peers, 10u);
  EXPECT_LT(looks[1].peers, 100u);
  for (const Health& look : looks) {
    EXPECT_EQ(look.dead_links, 0) << look.peers;
    EXPECT_EQ(look.dead_random_links, 0) << look.peers;
  }
}

TEST(Simulation, CountsWhatEachPeerSends) {
  Simulation run(quiet(), nullptr);
  run.run();
  const auto& sent = run.cluster().costs().sent;
  ASSERT_EQ(sent.size(), 100u);
  std::uint64_t sum = 0;
  for (const auto each : sent) {
    EXPECT_GT(each, 0u);
    sum += each;
  }
  // Senders count the messages that are still on their way at the end.
  const auto arrived = run.cluster().traffic().sum(0, kMessageKinds).messages;
  EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(arrived), 200);
}

}  // namespace
}  // namespace dunlin::sim
