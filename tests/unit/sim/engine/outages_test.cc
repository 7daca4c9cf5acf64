// SPDX-License-Identifier: MIT
#include "sim/engine/outages.h"

#include <gmock/gmock.h>
#include <ns3/simulator.h>
#include <vector>

#include "sim/clock.h"
#include "sim/engine/populate.h"
#include "tests/unit/sim/equal_machines.h"

namespace dunlin::sim {
namespace {

using namespace std::chrono_literals;

class OutagesTest : public ::testing::Test {
 protected:
  explicit OutagesTest(std::uint32_t peers = 20) {
    scenario.cluster.peers = peers;
    scenario.cluster.join_within = 2s;
  }
  ~OutagesTest() override { ns3::Simulator::Destroy(); }

  void start() {
    cluster.emplace(Cluster::Options{.params = {}, .network = {}, .faults = scenario.faults},
        recorder, nullptr);
    const std::vector<Machine> machines(scenario.cluster.peers, Machine{{.cpu = 4000}, {}});
    populate(*cluster, scenario, machines, Rng{1});
    cluster->ready();
    outages.emplace(scenario, *cluster, [this](std::uint32_t peer) { returned.push_back(peer); });
  }
  /// The number of peers that are alive at a moment.
  std::size_t alive_at(Duration when) {
    ns3::Simulator::Stop(to_ns3(when - now().time_since_epoch()));
    ns3::Simulator::Run();
    const auto peers = peers_alive(*cluster, scenario.cluster);
    return static_cast<std::size_t>(
        std::ranges::count_if(peers, [](const auto* peer) { return peer != nullptr; }));
  }

  Scenario scenario;
  Recorder recorder{{.from = Time{0s}, .until = Time{100s}}, equal_machines(20, 4000)};
  std::optional<Cluster> cluster;
  std::optional<Outages> outages;
  std::vector<std::uint32_t> returned;
};

TEST_F(OutagesTest, PeersAreBornOneAfterTheOther) {
  start();
  EXPECT_EQ(birth_of(scenario.cluster, 10), 1s);
  EXPECT_EQ(alive_at(1s), 11u);
  EXPECT_EQ(alive_at(3s), 20u);
}

TEST_F(OutagesTest, PeersThatCrashComeBackIfTheyAreTo) {
  scenario.faults = {.crash_share = 1, .crash_at = 5s, .restart_after = 3s};
  EXPECT_TRUE(any_returns(scenario.faults));
  start();
  outages->schedule_crashes(Time{100s}, Rng{2});
  EXPECT_EQ(alive_at(4s), 20u);
  EXPECT_EQ(alive_at(6s), 0u);
  EXPECT_TRUE(returned.empty());
  EXPECT_EQ(alive_at(9s), 20u);
  EXPECT_EQ(returned.size(), 20u);
  EXPECT_EQ(cluster->peer(returned.front()).self().incarnation, 2u);
}

TEST_F(OutagesTest, PeersThatCrashForGoodStayDown) {
  scenario.faults = {.crash_share = 1, .crash_at = 5s};
  EXPECT_FALSE(any_returns(scenario.faults));
  start();
  outages->schedule_crashes(Time{100s}, Rng{2});
  EXPECT_EQ(alive_at(20s), 0u);
  EXPECT_TRUE(returned.empty());
}

TEST_F(OutagesTest, WiredPeersKnowOthersFromTheirBirth) {
  scenario.cluster.start = Start::wired;
  start();
  EXPECT_GT(cluster->peer(0).overlay().cyclon().view().size(), 10u);
}

}  // namespace
}  // namespace dunlin::sim
