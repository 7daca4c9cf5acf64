// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>

#include "sched/cell/hosted_replica.h"
#include "tests/scenario/cells.h"

// Nodes that stop as they should: what others need of them stays.
namespace dunlin::test {
namespace {

using sched::CellId;

void depart(CellWorld& world, std::size_t node) {
  world.act(node, [](const auto& turn, auto& self) {
    self.departure().depart(turn);
    return 0;
  });
}

bool departed(CellWorld& world, std::size_t node) {
  return world.node(node).departed(world.now());
}

bool keeps_books(CellWorld& world, CellId cell, std::size_t node) {
  const auto chief = world.managers(sched::level_of(cell)).at(cell);
  const auto members = world.node(chief).hosted(cell)->group.members();
  return std::ranges::count(members, world.endpoint(node).id, &sched::RaftMember::node) > 0;
}

TEST(CellDeparture, AManagerIsFollowedBeforeItStops) {
  CellWorld world(options_of(5, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  depart(world, chief);
  EXPECT_FALSE(departed(world, chief));
  ASSERT_TRUE(world.run_until([&, at = chief] { return departed(world, at); }, 30s))
      << world.describe();
  world.kill(chief);
  // Nobody has to notice anything: there is a manager, with all its voters, and without it.
  ASSERT_TRUE(world.managers().contains(cell)) << world.describe();
  EXPECT_NE(world.managers().at(cell), chief);
  EXPECT_EQ(voters_of(world, cell), 3u);
  EXPECT_FALSE(keeps_books(world, cell, chief));
  EXPECT_EQ(world.books(cell)->ledger().state().nodes.size(), 4u);
  // The next time it is a member as any other.
  world.restart(chief);
  EXPECT_TRUE(world.run_until([&, c = cell] { return members_of(world, c).size() == 5; }, 60s))
      << world.describe();
  EXPECT_EQ(world.violation(), "");
}

// Every node keeps the books then, so the one that goes is excused; it must leave all the same.
TEST(CellDeparture, OfFourAVoterThatIsExcusedLeavesTheCell) {
  CellWorld world(options_of(4, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  depart(world, chief);
  ASSERT_TRUE(world.run_until([&, at = chief] { return departed(world, at); }, 30s))
      << world.describe();
  world.kill(chief);
  ASSERT_NE(world.books(cell), nullptr) << world.describe();
  EXPECT_EQ(world.books(cell)->ledger().state().nodes.size(), 3u);
  EXPECT_EQ(world.violation(), "");
}

TEST(CellDeparture, WhoKeepsBooksIsReplacedFirst) {
  CellWorld world(options_of(5, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  std::size_t keeper = chief;
  for (std::size_t i = 0; i < world.size(); ++i) {
    if (i != chief && keeps_books(world, cell, i)) keeper = i;
  }
  ASSERT_NE(keeper, chief);
  depart(world, keeper);
  ASSERT_TRUE(world.run_until([&] { return departed(world, keeper); }, 30s)) << world.describe();
  EXPECT_FALSE(keeps_books(world, cell, keeper));
  EXPECT_EQ(voters_of(world, cell), 3u);
  EXPECT_EQ(world.violation(), "");
}

// Without anybody to take its place it stays a voter, for it may be back soon: one disk is too few.
TEST(CellDeparture, OfThreeOneMayGoAndTheOthersKeepTheBooks) {
  CellWorld world(options_of(3, 8));
  saturate(world, 3);
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const auto [cell, chief] = only_cell(world);
  depart(world, chief);
  ASSERT_TRUE(world.run_until([&, at = chief] { return departed(world, at); }, 30s))
      << world.describe();
  EXPECT_EQ(voters_of(world, cell), 3u);
  EXPECT_NE(world.managers().at(cell), chief);
  world.kill(chief);
  world.run_for(5s);
  EXPECT_TRUE(world.managers().contains(cell)) << world.describe();
  world.restart(chief);
  EXPECT_TRUE(world.run_until([&, c = cell] { return members_of(world, c).size() == 3; }, 60s));
  EXPECT_EQ(voters_of(world, cell), 3u);
  EXPECT_EQ(world.violation(), "");
}

TEST(CellDeparture, WhereAllStopAtOnceTheBooksStayWithAll) {
  CellWorld world(options_of(3, 8));
  ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  const CellId cell = only_cell(world).first;
  for (std::size_t i = 0; i < world.size(); ++i) depart(world, i);
  world.run_for(15s);
  for (std::size_t i = 0; i < world.size(); ++i) world.kill(i);
  // Any two of them are enough.
  world.restart(0);
  world.restart(2);
  EXPECT_TRUE(world.run_until([&] { return world.managers().contains(cell); }, 30s))
      << world.describe();
  EXPECT_EQ(world.violation(), "");
}

// Each would hand the cell to another that stops, too: the cell would change hands until all gave
// up.
TEST(CellDeparture, WhereAllStopAtOnceTheyStopQuietlyAndQuickly) {
  for (const std::size_t nodes : {3u, 4u, 8u, 20u}) {
    CellWorld world(options_of(nodes, 40));
    saturate(world, 3);
    ASSERT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
    const auto terms = world.terms();
    const auto messages = world.messages();
    for (std::size_t i = 0; i < nodes; ++i) depart(world, i);
    // As agents do, each ends when it may.
    const auto ended = [&] {
      std::size_t left = 0;
      for (std::size_t i = 0; i < nodes; ++i) {
        if (world.alive(i) && departed(world, i)) world.kill(i);
        left += world.alive(i) ? 1u : 0u;
      }
      return left == 0;
    };
    EXPECT_TRUE(world.run_until(ended, 3s)) << nodes << " nodes " << world.describe();
    EXPECT_LE(world.terms() - terms, 1u) << nodes << " nodes";
    EXPECT_LE(world.messages() - messages, 40 * nodes) << nodes << " nodes";
    // They come back together.
    for (std::size_t i = 0; i < nodes; ++i) world.restart(i);
    EXPECT_TRUE(world.run_until([&] { return world.settled() && world.cells().size() == 1; }, 60s))
        << world.describe();
    EXPECT_EQ(world.violation(), "");
  }
}

TEST(CellDeparture, OfTwoTheOtherOneGetsTheBooks) {
  CellWorld world(options_of(2, 8));
  const auto together = [&] { return world.settled() && world.cells().size() == 1; };
  ASSERT_TRUE(world.run_until(together, 120s)) << world.describe();
  const auto [cell, chief] = only_cell(world);
  world.set_shares(0, {1, 1});
  world.run_for(20s);
  const auto saved = world.books(cell)->ledger().balance(1);
  EXPECT_GT(saved, 0);
  depart(world, chief);
  ASSERT_TRUE(world.run_until([&, at = chief] { return departed(world, at); }, 60s))
      << world.describe();
  world.lose_disk(chief);
  ASSERT_NE(world.books(cell), nullptr) << world.describe();
  EXPECT_GE(world.books(cell)->ledger().balance(1), saved);
  EXPECT_EQ(world.violation(), "");
}

TEST(CellDeparture, WhoIsAloneHasNobodyToWaitFor) {
  CellWorld world(options_of(1, 8));
  ASSERT_TRUE(world.run_until([&] { return world.settled(); }, 120s));
  depart(world, 0);
  EXPECT_TRUE(world.run_until([&] { return departed(world, 0); }, 5s)) << world.describe();
}

TEST(CellDeparture, ACellOfOneEndsAndItsSavingsGoToAnother) {
  auto options = options_of(3, 2);
  options.params.cell.cell_min = 0;
  CellWorld world(options);
  const auto two = [&] { return world.settled() && world.cells().size() == 2; };
  ASSERT_TRUE(world.run_until(two, 120s)) << world.describe();
  world.set_shares(0, {1, 1});
  world.run_for(40s);
  const auto cells = world.cells();
  const auto lone = std::ranges::find(cells, std::size_t{1}, [](auto& c) { return c.second; });
  ASSERT_NE(lone, cells.end()) << world.describe();
  const std::size_t node = members_of(world, lone->first).front();
  const auto saved = world.books(lone->first)->ledger().balance(1);
  ASSERT_GT(saved, 0);
  depart(world, node);
  ASSERT_TRUE(world.run_until([&] { return departed(world, node); }, 60s)) << world.describe();
  const CellId other =
      lone->first == cells.begin()->first ? cells.rbegin()->first : cells.begin()->first;
  EXPECT_GE(world.books(other)->ledger().state().totals.received, saved);
  EXPECT_EQ(world.violation(), "");
}

TEST(CellDeparture, AManagerOfManagersIsFollowed) {
  CellWorld world(options_of(6, 3));
  const auto rooted = [&] {
    const auto roots = world.managers(1);
    return world.settled() && world.cells().size() == 2 && roots.size() == 1 &&
        world.books(roots.begin()->first)->roster().members.size() == 2;
  };
  ASSERT_TRUE(world.run_until(rooted, 300s)) << world.describe();
  const auto [root, chief] = *world.managers(1).begin();
  depart(world, chief);
  ASSERT_TRUE(world.run_until([&, at = chief] { return departed(world, at); }, 60s))
      << world.describe();
  world.lose_disk(chief);
  ASSERT_TRUE(world.managers(1).contains(root)) << world.describe();
  EXPECT_FALSE(keeps_books(world, root, chief));
  EXPECT_EQ(world.violation(), "");
}

}  // namespace
}  // namespace dunlin::test
