// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>

#include "sched/cell/hosted_replica.h"
#include "tests/scenario/cells.h"

// Cells from nothing, and through the loss of any part of them.
namespace dunlin::test {
namespace {

using sched::CellId;
using sched::ClassId;
using sched::Tickets;

TEST(Cells, WithoutSharingNothingHappens) {
  CellWorldOptions options;
  options.params.cell.sharing = sched::SharingMode::none;
  CellWorld world(options);
  world.run_for(60s);
  EXPECT_EQ(world.messages(), 0u);
  EXPECT_TRUE(world.node(0).hosted().empty());
  EXPECT_EQ(world.node(0).deadline(), overlay::kNever);
}

TEST(Cells, NineNodesFormAtMostThreeCellsOfThree) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto options = options_of(9, 3);
    options.seed = seed;
    CellWorld world(options);
    const auto formed = [&] { return world.settled() && world.cells().size() <= 3; };
    EXPECT_TRUE(world.run_until(formed, 300s)) << "seed " << seed << world.describe();
    for (const auto& [cell, size] : world.cells()) EXPECT_LE(size, 3u);
    EXPECT_EQ(world.violation(), "") << "seed " << seed;
  }
}

TEST(Cells, AManagerThatDiesIsReplacedAndGrantsHold) {
  CellWorld world(options_of(5, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  const auto epoch = world.node(chief).hosted(cell)->manager->epoch();
  world.kill(chief);

  const auto replaced = [&, cell = cell] { return world.managers().contains(cell); };
  // Two election timeouts, a heartbeat and a claim.
  bool always_granted = true;
  EXPECT_TRUE(world.run_until(
      [&] {
        for (std::size_t i = 0; i < world.size(); ++i) {
          if (world.alive(i)) always_granted &= world.node(i).granted(world.now());
        }
        return replaced();
      },
      10s))
      << world.describe();
  EXPECT_TRUE(always_granted);
  const std::size_t heir = world.managers().at(cell);
  EXPECT_NE(heir, chief);
  EXPECT_GT(world.node(heir).hosted(cell)->manager->epoch(), epoch);
  // The new one grants in its own epoch, to all that are left; the dead one goes, and is replaced
  // among the voters.
  const auto recovered = [&, cell = cell] {
    const auto members = members_of(world, cell);
    return members.size() == 4 && voters_of(world, cell) == 3 &&
        world.books(cell)->ledger().state().nodes.size() == 4 &&
        std::ranges::all_of(members, [&](std::size_t i) {
          return world.node(i).granted(world.now()) && world.node(i).member().epoch() > epoch;
        });
  };
  EXPECT_TRUE(world.run_until(recovered, 120s)) << world.describe();
  EXPECT_EQ(world.violation(), "");

  world.restart(chief);
  const auto back = [&, cell = cell] { return members_of(world, cell).size() == 5; };
  EXPECT_TRUE(world.run_until(back, 120s)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

TEST(Cells, TheGrantsOfAMinorityEnd) {
  CellWorld world(options_of(5, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  const auto epoch = world.node(chief).hosted(cell)->manager->epoch();
  world.network().split({chief}, world.size());
  const auto two_sides = [&, cell = cell, chief = chief] {
    return world.managers().contains(cell) && world.managers().at(cell) != chief;
  };
  ASSERT_TRUE(world.run_until(two_sides, 20s)) << world.describe();
  // The old manager can commit nothing: its own grants run out by its own clock, and it falls back
  // to static shares.
  world.run_for(15s);
  EXPECT_FALSE(world.node(chief).hosted(cell)->manager.has_value());
  EXPECT_EQ(world.count<sched::ManagerResigned>(), 1u);
  EXPECT_FALSE(world.node(chief).granted(world.now()));
  EXPECT_EQ(world.node(chief).tickets(world.now()),
      (std::vector<std::pair<ClassId, Tickets>>{{1, 2000}, {2, 1200}, {3, 800}}));
  world.network().mend_all();
  const auto whole = [&, cell = cell, chief = chief] {
    return members_of(world, cell).size() == 5 && world.node(chief).granted(world.now()) &&
        world.node(chief).member().epoch() > epoch;
  };
  EXPECT_TRUE(world.run_until(whole, 120s)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

TEST(Cells, ALeaseOfAnOldEpochIsRefused) {
  CellWorld world(options_of(4, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  auto& member = world.node(1).member();
  // The first epoch has none before it.
  const auto first = member.epoch();
  world.act(only_cell(world).second, [](const auto& turn, auto& self) {
    self.departure().drain(turn, true);
    return 0;
  });
  ASSERT_TRUE(world.run_until([&] { return member.epoch() > first; }, 60s)) << world.describe();
  const auto before = world.node(1).tickets(world.now());
  sched::cell::Lease late{.cell = member.cell(),
      .epoch = member.epoch() - 1,
      .member = world.endpoint(1).id,
      .standing = sched::cell::Standing::member,
      .sequence = 0,
      .grant_life = 1h,
      .period = member.period() + 100,
      .grants = {{.class_id = 3, .tickets = 4000}}};
  world.act(1, [&](const auto& turn, auto& self) {
    self.receive(turn, world.endpoint(0), late);
    return 0;
  });
  EXPECT_EQ(member.refused(), 1u);
  EXPECT_EQ(world.node(1).tickets(world.now()), before);
}

TEST(Cells, ADrainedManagerHandsOver) {
  CellWorld world(options_of(5, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  world.act(chief, [](const auto& turn, auto& self) {
    self.departure().drain(turn, true);
    return 0;
  });
  const auto handed = [&, cell = cell, chief = chief] {
    const auto managers = world.managers();
    if (!managers.contains(cell) || managers.at(cell) == chief) return false;
    const auto members = world.node(managers.at(cell)).hosted(cell)->group.members();
    return voters_of(world, cell) == 3 && std::ranges::none_of(members, [&](const auto& member) {
      return member.node == world.endpoint(chief).id;
    });
  };
  EXPECT_TRUE(world.run_until(handed, 60s)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

TEST(Cells, AVoterThatLostItsDiskIsReplaced) {
  CellWorld world(options_of(4, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  std::size_t voter = world.size();
  for (std::size_t i = 0; i < world.size(); ++i) {
    if (i != chief && world.node(i).hosted(cell) != nullptr) voter = i;
  }
  ASSERT_LT(voter, world.size());
  const auto lost = world.node(voter).hosted(cell)->group.replica();
  world.lose_disk(voter);
  world.restart(voter);
  const auto healed = [&, cell = cell] {
    const auto managers = world.managers();
    if (!managers.contains(cell) || voters_of(world, cell) != 3) return false;
    const auto members = world.node(managers.at(cell)).hosted(cell)->group.members();
    return std::ranges::count(members, lost, &sched::RaftMember::replica) == 0;
  };
  EXPECT_TRUE(world.run_until(healed, 120s)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

}  // namespace
}  // namespace dunlin::test
