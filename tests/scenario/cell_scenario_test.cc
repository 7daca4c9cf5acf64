// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "tests/support/cell_world.h"

// Cells from nothing, and through the loss of any part of them.
namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::CellId;
using sched::ServiceId;
using sched::Tickets;

CellWorldOptions options_of(std::size_t nodes, std::uint16_t cell_size) {
  CellWorldOptions options{.nodes = nodes};
  options.params.cell.sharing = sched::SharingMode::bank;
  options.params.cell.cell_size = cell_size;
  options.params.cell.cell_least = 0.7;
  options.params.cell.voter_lost = 15s;
  options.codec = true;
  return options;
}

std::vector<std::size_t> members_of(CellWorld& world, CellId cell) {
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < world.size(); ++i) {
    const bool is = world.alive(i) && world.node(i).member().is_member() &&
        world.node(i).member().cell() == cell;
    if (is) members.push_back(i);
  }
  return members;
}

std::size_t voters_of(CellWorld& world, CellId cell) {
  const auto chiefs = world.managers();
  const auto at = chiefs.find(cell);
  if (at == chiefs.end()) return 0;
  const auto members = world.node(at->second).seat(cell)->group.members();
  return static_cast<std::size_t>(std::ranges::count(
      members, sched::MemberRole::voter, &sched::RaftMember::role));
}

/// The one cell there is, and its manager.
std::pair<CellId, std::size_t> only_cell(CellWorld& world) {
  const CellId cell = world.cells().begin()->first;
  return {cell, world.managers().at(cell)};
}

/// All nodes in one cell, with three voters and grants everywhere.
bool form_one_cell(CellWorld& world) {
  const auto formed = [&] {
    if (!world.settled() || world.cells().size() != 1 || world.managers().size() != 1) return false;
    if (world.node(0).classes().version == 0) world.set_shares(0, {5, 3, 2});
    for (std::size_t i = 0; i < world.size(); ++i) {
      if (world.alive(i) && !world.node(i).granted(world.now())) return false;
    }
    return voters_of(world, world.cells().begin()->first) == 3;
  };
  return world.run_until(formed, 180s);
}

void saturate(CellWorld& world, std::size_t classes, Tickets tickets = 4000) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    world.want(i, std::vector<Tickets>(classes, tickets));
  }
}

TEST(Cells, WithoutSharingNothingHappens) {
  CellWorldOptions options;
  options.params.cell.sharing = sched::SharingMode::none;
  CellWorld world(options);
  world.run_for(60s);
  EXPECT_EQ(world.messages(), 0u);
  EXPECT_TRUE(world.node(0).seats().empty());
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
  const auto epoch = world.node(chief).seat(cell)->manager->epoch();
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
  EXPECT_GT(world.node(heir).seat(cell)->manager->epoch(), epoch);
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
  const auto epoch = world.node(chief).seat(cell)->manager->epoch();
  world.network().split({chief}, world.size());
  const auto two_sides = [&, cell = cell, chief = chief] {
    return world.managers().contains(cell) && world.managers().at(cell) != chief;
  };
  ASSERT_TRUE(world.run_until(two_sides, 20s)) << world.describe();
  // The old manager can commit nothing: its own grants run out by its own clock, and it falls back
  // to static shares.
  world.run_for(15s);
  EXPECT_FALSE(world.node(chief).seat(cell)->manager.has_value());
  EXPECT_FALSE(world.node(chief).granted(world.now()));
  EXPECT_EQ(world.node(chief).tickets(world.now()),
      (std::vector<std::pair<ServiceId, Tickets>>{{1, 2000}, {2, 1200}, {3, 800}}));
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
  const auto before = world.node(1).tickets(world.now());
  sched::cell::Lease late{.cell = member.cell(),
      .epoch = member.epoch() - 1,
      .member = world.endpoint(1).id,
      .standing = sched::cell::Standing::member,
      .sequence = 0,
      .term = 1h,
      .period = member.period() + 100,
      .grants = {{.service = 3, .tickets = 4000}}};
  world.act(1, [&](const auto& turn, auto& self) {
    self.receive(turn, world.endpoint(0), late);
    return 0;
  });
  EXPECT_EQ(member.refused(), 1u);
  EXPECT_EQ(world.node(1).tickets(world.now()), before);
}

/// What each class used of the whole from now on, in `duration`.
std::vector<double> shares_used(CellWorld& world, std::size_t classes, Duration duration) {
  const auto total = [&] {
    std::vector<double> sums(classes, 0);
    for (std::size_t i = 0; i < world.size(); ++i) {
      for (std::size_t j = 0; j < classes; ++j) {
        sums[j] += static_cast<double>(world.workload(i).used[static_cast<ServiceId>(j + 1)]);
      }
    }
    return sums;
  };
  const auto before = total();
  world.run_for(duration);
  auto used = total();
  for (std::size_t j = 0; j < classes; ++j) used[j] -= before[j];
  const double sum = std::accumulate(used.begin(), used.end(), 0.0);
  for (double& each : used) each /= sum;
  return used;
}

TEST(Cells, SaturatedClassesUseTheirShares) {
  for (const auto mode : {sched::SharingMode::bank, sched::SharingMode::reserves}) {
    auto options = options_of(6, 8);
    options.params.cell.sharing = mode;
    CellWorld world(options);
    saturate(world, 3);
    ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
    world.run_for(20s);
    const auto used = shares_used(world, 3, 60s);
    const double wanted[] = {0.5, 0.3, 0.2};
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(used[j], wanted[j], 0.05 * wanted[j]);
    EXPECT_EQ(world.violation(), "");
  }
}

TEST(Cells, AClassThatWasIdleDrawsWhatItSaved) {
  auto options = options_of(4, 8);
  options.params.bank.compensation_share = 0.2;
  CellWorld world(options);
  for (std::size_t i = 0; i < world.size(); ++i) world.want(i, {0, 4000, 4000});
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const CellId cell = world.cells().begin()->first;
  const auto balance = [&] { return world.books(cell)->ledger().balance(1); };
  // It wants nothing, so its half is used by the others, and it saves.
  const auto idle = shares_used(world, 3, 60s);
  EXPECT_LT(idle[0], 0.01);
  const Tickets saved = balance();
  EXPECT_GT(saved, 4 * 2000);
  // It comes back: for as long as its savings last, it gets more than its share.
  saturate(world, 3);
  world.run_for(10s);
  const auto back = shares_used(world, 3, 30s);
  EXPECT_GT(back[0], 0.52);
  EXPECT_LT(balance(), saved);
  EXPECT_EQ(world.violation(), "");
}

TEST(Cells, ADrainedManagerHandsOver) {
  CellWorld world(options_of(5, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  world.act(chief, [](const auto& turn, auto& self) {
    self.drain(turn, true);
    return 0;
  });
  const auto handed = [&, cell = cell, chief = chief] {
    const auto managers = world.managers();
    if (!managers.contains(cell) || managers.at(cell) == chief) return false;
    const auto members = world.node(managers.at(cell)).seat(cell)->group.members();
    return voters_of(world, cell) == 3 &&
        std::ranges::none_of(members, [&](const auto& member) {
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
    if (i != chief && world.node(i).seat(cell) != nullptr) voter = i;
  }
  ASSERT_LT(voter, world.size());
  const auto lost = world.node(voter).seat(cell)->group.replica();
  world.lose_disk(voter);
  world.restart(voter);
  const auto healed = [&, cell = cell] {
    const auto managers = world.managers();
    if (!managers.contains(cell) || voters_of(world, cell) != 3) return false;
    const auto members = world.node(managers.at(cell)).seat(cell)->group.members();
    return std::ranges::count(members, lost, &sched::RaftMember::replica) == 0;
  };
  EXPECT_TRUE(world.run_until(healed, 120s)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

TEST(Cells, ManagersOfManagersMoveSavings) {
  auto options = options_of(6, 3);
  options.params.transfer.amount = 500;
  CellWorld world(options);
  const auto rooted = [&] {
    if (!world.settled() || world.cells().size() != 2) return false;
    const auto roots = world.managers(1);
    if (roots.size() != 1) return false;
    return world.books(roots.begin()->first)->directory().members.size() == 2;
  };
  ASSERT_TRUE(world.run_until(rooted, 300s)) << world.describe() << world.violation();
  ASSERT_TRUE(world.set_shares(0, {1, 1}));
  const CellId poor = world.cells().begin()->first;
  const CellId rich = world.cells().rbegin()->first;
  // Class 1 is idle in one cell and busy in the other.
  for (const std::size_t i : members_of(world, rich)) world.want(i, {0, 4000});
  for (const std::size_t i : members_of(world, poor)) world.want(i, {4000, 4000});
  const auto moved = [&] {
    const auto* books = world.books(poor);
    return books != nullptr && books->ledger().state().totals.received > 1000;
  };
  EXPECT_TRUE(world.run_until(moved, 120s)) << world.describe();
  // A consistent cut: nothing is under way.
  for (std::size_t i = 0; i < world.size(); ++i) world.want(i, {4000, 4000});
  world.run_for(30s);
  ASSERT_NE(world.books(poor), nullptr);
  ASSERT_NE(world.books(rich), nullptr);
  const sched::books::State* const states[] = {
      &world.books(poor)->ledger().state(), &world.books(rich)->ledger().state()};
  EXPECT_EQ(sched::broken_between(states).value_or(""), "");
  const auto sum = sched::add_up(states);
  EXPECT_GT(sum.sent, 1000);
  EXPECT_EQ(sum.sent, sum.received);
  EXPECT_EQ(sum.in_flight, 0);
  EXPECT_EQ(world.violation(), "");
}

}  // namespace
}  // namespace dunlin::test
