// SPDX-License-Identifier: MIT
// Sharing in whole peers: gossip, books, cells and workers together.
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sched/cell/cell_node.h"
#include "sched/cell/hosted_replica.h"
#include "sched/ledger/audit.h"
#include "sched/ledger/class_name.h"
#include "tests/support/builders.h"
#include "tests/support/world.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::CellId;
using sched::Tickets;

sched::books::Classes classes_of(
    std::uint64_t version, const std::vector<std::pair<std::string, Tickets>>& shares) {
  sched::books::Classes classes;
  classes.version = version;
  for (const auto& [name, share] : shares) {
    classes.classes.push_back({.class_id = sched::class_id_of(name), .name = name, .share = share});
  }
  std::ranges::sort(classes.classes, {}, &sched::books::Class::class_id);
  return classes;
}

WorldOptions options_of(std::uint16_t cell_size, std::uint64_t seed = 1) {
  WorldOptions options;
  options.seed = seed;
  options.params.sharing.cell.cell_size = cell_size;
  return options;
}

/// True if every node that is up is a member of a cell and has tickets from its manager.
bool all_granted(const World& world) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    if (!world.up(i)) continue;
    const auto* cells = world.peer(i).cells();
    if (cells == nullptr || !cells->member().is_member() || !cells->granted(world.now())) {
      return false;
    }
  }
  return true;
}

/// Nodes by the cell of level 0 that they manage, and that is not at its end.
std::map<CellId, std::size_t> managers(const World& world) {
  std::map<CellId, std::size_t> found;
  for (std::size_t i = 0; i < world.size(); ++i) {
    if (!world.up(i) || world.peer(i).cells() == nullptr) continue;
    for (const auto& hosted : world.peer(i).cells()->hosted()) {
      const CellId cell = hosted->cell();
      const bool open = !hosted->books().roster().dissolving;
      if (hosted->manager && open && sched::level_of(cell) == 0) found[cell] = i;
    }
  }
  return found;
}

const sched::HostedReplica& seat_of(
    const World& world, const std::pair<const CellId, std::size_t>& managed) {
  return *world.peer(managed.second).cells()->hosted(managed.first);
}

TEST(PeerSharing, NobodyNoticesUntilThereAreClasses) {
  World world(options_of(8));
  unsigned cell_messages = 0;
  world.filter([&](std::size_t, std::size_t, const AnyMessage& message) {
    cell_messages += std::holds_alternative<sched::cell::Message>(message) ? 1u : 0u;
    return 1u;
  });
  world.add(5, {});
  world.run_for(60s);
  EXPECT_EQ(cell_messages, 0u);
  for (std::size_t i = 0; i < world.size(); ++i) EXPECT_EQ(world.peer(i).cells(), nullptr);
  EXPECT_EQ(world.failure(), "");
}

TEST(PeerSharing, AClassTableReachesAllAndTheyFormCells) {
  World world(options_of(3));
  world.add(9, {});
  world.run_for(10s);
  ASSERT_TRUE(world.set_classes(4, classes_of(1, {{"gold", 5}, {"silver", 3}})));
  EXPECT_TRUE(world.run_until([&] { return all_granted(world); }, 180s));
  for (std::size_t i = 0; i < world.size(); ++i) {
    ASSERT_EQ(world.peer(i).classes().version, 1u);
    EXPECT_EQ(world.peer(i).classes().classes.size(), 2u);
  }
  EXPECT_LE(managers(world).size(), 5u);
  EXPECT_EQ(world.failure(), "");

  // The next table needs no more than gossip.
  ASSERT_TRUE(world.set_classes(0, classes_of(2, {{"bronze", 1}})));
  const auto known = [&] {
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (world.peer(i).classes().version != 2) return false;
    }
    return true;
  };
  EXPECT_TRUE(world.run_until(known, 30s));
  EXPECT_FALSE(world.set_classes(3, classes_of(2, {{"iron", 1}})));
}

TEST(PeerSharing, AJobOfAClassThatIsNotThereIsRefused) {
  World world(options_of(8));
  world.add(2, {});
  world.run_for(5s);
  auto job = test::job(1);
  job.service_class = "gold";
  const auto refused = world.submit(0, job);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("dunlin share set gold"), std::string::npos);
  ASSERT_TRUE(world.set_classes(0, classes_of(1, {{"gold", 1}})));
  EXPECT_TRUE(world.submit(0, job));
  job.service_class = "Gold!";
  EXPECT_FALSE(world.submit(0, job));
}

TEST(PeerSharing, AClusterThatRestartsGoesOnWithItsBooks) {
  World world(options_of(8));
  world.add(5, {});
  world.run_for(5s);
  ASSERT_TRUE(world.set_classes(0, classes_of(1, {{"gold", 5}, {"silver", 3}})));
  ASSERT_TRUE(world.run_until([&] { return all_granted(world); }, 120s));
  world.run_for(20s);
  const auto before = managers(world);
  ASSERT_EQ(before.size(), 1u);
  for (std::size_t i = 0; i < world.size(); ++i) world.crash(i);
  for (std::size_t i = 0; i < world.size(); ++i) world.restart(i);
  EXPECT_TRUE(world.run_until([&] { return all_granted(world); }, 60s));
  const auto after = managers(world);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after.begin()->first, before.begin()->first);
  EXPECT_EQ(world.peer(3).classes().version, 1u);
  EXPECT_EQ(world.failure(), "");
}

TEST(PeerSharing, WhoLeavesGivesItsGrantsBack) {
  World world(options_of(8));
  world.add(4, {});
  world.run_for(5s);
  ASSERT_TRUE(world.set_classes(0, classes_of(1, {{"gold", 1}})));
  ASSERT_TRUE(world.run_until([&] { return all_granted(world); }, 120s));
  // With two voters neither can go. With three, any can.
  const auto three_voters = [&] {
    const auto now = managers(world);
    if (now.size() != 1) return false;
    const auto members = seat_of(world, *now.begin()).group.members();
    return std::ranges::count(members, sched::MemberRole::voter, &sched::RaftMember::role) == 3;
  };
  ASSERT_TRUE(world.run_until(three_voters, 120s));
  const auto [cell, manager] = *managers(world).begin();
  world.leave(manager);
  const auto three = [&] {
    const auto now = managers(world);
    if (!now.contains(cell)) return false;
    return seat_of(world, *now.find(cell)).books().ledger().state().nodes.size() == 3;
  };
  EXPECT_TRUE(world.run_until(three, 30s));
  EXPECT_EQ(world.failure(), "");
}

}  // namespace
}  // namespace dunlin::test
