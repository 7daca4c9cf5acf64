// SPDX-License-Identifier: MIT
// Lists of the jobs of a cluster with cells: which nodes are asked, and what is said of nodes that
// are gone.
#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <map>
#include <optional>
#include <set>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/listing/job_lists.h"
#include "sched/listing/listing.h"
#include "sched/peer_maintenance.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

constexpr std::size_t kNodes = 24;

WorldOptions listing_options(double loss = 0) {
  WorldOptions options;
  options.seed = 5;
  options.params.sharing.cell.form = sched::CellForm::always;
  options.params.sharing.cell.cell_size = 5;
  options.network.loss = loss;
  return options;
}

bool all_members(const World& world) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    const auto* cells = world.peer(i).cells();
    if (cells == nullptr || !cells->member().is_member()) return false;
  }
  return true;
}

class ListingScenario : public ::testing::Test {
 protected:
  void form(double loss = 0) {
    world.emplace(listing_options(loss));
    world->add(kNodes, {});
    ASSERT_TRUE(world->run_until([&] { return all_members(*world); }, 120s));
    world->run_for(30s);  // One tree.
    for (const std::size_t node : {3u, 7u, 7u, 20u}) {
      sched::Job one = job(1);
      one.name = "train";
      one.owner = node == 7 ? "bob" : "ann";
      if (node == 20) one.labels = {{.key = "team", .value = "a"}};
      ASSERT_TRUE(world->submit(node, one).has_value());
    }
    world->run_for(10ms);
  }
  /// What the node finds, and how long it took.
  sched::ClusterJobs list(std::size_t node, const sched::JobQuery& query = {}) {
    std::uint64_t number = 0;
    world->act(node,
        [&](Peer& peer, const sched::Host& host) { number = peer.lists().begin(host, query); });
    EXPECT_NE(number, 0u);
    std::optional<sched::ClusterJobs> found;
    const Time began = world->now();
    EXPECT_TRUE(world->run_until(
        [&] {
          world->act(
              node, [&](Peer& peer, const sched::Host&) { found = peer.lists().take(number); });
          return found.has_value();
        },
        2s));
    took = world->now() - began;
    return found.value_or(sched::ClusterJobs{});
  }
  static std::map<std::size_t, std::uint32_t> matching(const sched::ClusterJobs& jobs) {
    std::map<std::size_t, std::uint32_t> counts;
    for (const auto& node : jobs.nodes) {
      if (node.matching > 0) counts[World::node_of(node.node)] = node.matching;
    }
    return counts;
  }
  static std::set<std::size_t> silent(const sched::ClusterJobs& jobs) {
    std::set<std::size_t> nodes;
    for (const auto& node : jobs.nodes) {
      if (node.silent) nodes.insert(World::node_of(node.node));
    }
    return nodes;
  }
  bool manages(std::size_t node) const {
    return std::ranges::any_of(world->peer(node).cells()->hosted(),
        [](const auto& hosted) { return hosted->manager && hosted->level() == 0; });
  }

  std::optional<World> world;
  Duration took{0};
};

// Then they need not be asked who used how much.
TEST_F(ListingScenario, SaysWhichNodesAddedUpNoUsage) {
  form();
  const sched::ClusterJobs found = list(0);
  EXPECT_EQ(found.nodes.size(), kNodes);
  for (const auto& node : found.nodes) {
    const std::size_t at = World::node_of(node.node);
    EXPECT_EQ(node.no_usage, at != 3 && at != 7 && at != 20) << at;
  }
  world->act(11, [&](Peer& peer, const sched::Host&) { peer.maintenance().note_usage(); });
  const sched::ClusterJobs again = list(0);
  const auto node = std::ranges::find(again.nodes, World::id_of(11), &sched::NodeJobs::node);
  ASSERT_NE(node, again.nodes.end());
  EXPECT_FALSE(node->no_usage) << "an earlier life of it did";
}

TEST_F(ListingScenario, EveryNodeFindsTheJobsOfAll) {
  form();
  const std::map<std::size_t, std::uint32_t> expected{{3, 1}, {7, 2}, {20, 1}};
  for (const std::size_t node : {0u, 11u, 23u}) {
    const auto jobs = list(node, {.all = true});
    EXPECT_EQ(jobs.nodes.size(), kNodes);
    EXPECT_EQ(matching(jobs), expected);
    EXPECT_THAT(silent(jobs), IsEmpty());
    EXPECT_THAT(jobs.silent, IsEmpty());
    EXPECT_LT(took, 20ms) << "a few round trips";
  }
  EXPECT_EQ(world->failure(), "");
}

TEST_F(ListingScenario, NodesFilterAndNameTheFirst) {
  form();
  const auto jobs = list(0, {.all = true, .user = "bob", .sort = sched::JobSort::newest});
  EXPECT_EQ(matching(jobs), (std::map<std::size_t, std::uint32_t>{{7, 2}}));
  const auto node = std::ranges::find(jobs.nodes, World::id_of(7), &sched::NodeJobs::node);
  ASSERT_NE(node, jobs.nodes.end());
  EXPECT_EQ(node->first.number, 2u);
}

TEST_F(ListingScenario, LabelsAreSoughtThroughManagers) {
  form();
  const auto has = [&](const char* value) {
    return matching(list(0, {.all = true, .labels = {{.key = "team", .value = value}}}));
  };
  EXPECT_EQ(has("a"), (std::map<std::size_t, std::uint32_t>{{20, 1}}));
  EXPECT_EQ(has(""), (std::map<std::size_t, std::uint32_t>{{20, 1}})) << "whatever its value";
  EXPECT_THAT(has("b"), IsEmpty());
}

TEST_F(ListingScenario, ADeadMemberIsNamedAndDelaysLittle) {
  form();
  std::size_t dead = 1;
  while (manages(dead) || dead == 3 || dead == 7 || dead == 20) ++dead;
  world->crash(dead);
  const auto jobs = list(0, {.all = true});
  EXPECT_EQ(silent(jobs), std::set<std::size_t>{dead});
  EXPECT_EQ(jobs.nodes.size(), kNodes);
  EXPECT_GT(took, 200ms) << "it was asked more than once";
  EXPECT_LT(took, 400ms);
}

// No node speaks for the members of a cell whose manager has just died: the asker learns which
// cell.
TEST_F(ListingScenario, ACellWithoutAManagerIsNamed) {
  form();
  std::size_t dead = 1;
  while (!manages(dead)) ++dead;
  world->crash(dead);
  const auto jobs = list(dead == 5 ? 6 : 5, {.all = true});
  EXPECT_LE(took, sched::Listing::kWaitMax + 10ms);
  // Members that other managers know are still asked; what is missing is named.
  EXPECT_FALSE(jobs.silent.empty());
  EXPECT_TRUE(jobs.nodes.size() < kNodes || silent(jobs).contains(dead));
}

TEST_F(ListingScenario, BearsLostMessages) {
  form(0.05);
  const auto jobs = list(0, {.all = true});
  EXPECT_EQ(jobs.nodes.size(), kNodes);
  EXPECT_THAT(silent(jobs), IsEmpty());
  EXPECT_LE(took, sched::Listing::kWaitMax);
}

}  // namespace
}  // namespace dunlin::test
