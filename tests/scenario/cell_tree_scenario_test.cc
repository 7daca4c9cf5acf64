// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "sched/cell/sharing_params.h"
#include "tests/scenario/cells.h"

// Classes share a tree of cells: what a part of it leaves unused is of use in another.
namespace dunlin::test {
namespace {

using sched::CellId;
using sched::Tickets;

CellId parent_of(CellWorld& world, CellId cell) {
  const auto* books = world.books(cell);
  return books == nullptr ? CellId{} : books->roster().parent;
}

/// The cell of `level` above node `i`; 0 if it is not known now.
CellId cell_above(CellWorld& world, std::size_t i, int level) {
  CellId cell = world.node(i).member().cell();
  for (int at = 0; at < level && cell; ++at) cell = parent_of(world, cell);
  return cell;
}

/// True once every node is below the same cell of `level`.
bool is_tree(CellWorld& world, int level) {
  if (!world.settled() || world.trees() != 1) return false;
  std::set<CellId> roots;
  for (std::size_t i = 0; i < world.size(); ++i) roots.insert(cell_above(world, i, level));
  return roots.size() == 1 && !roots.contains(CellId{});
}

/// Class 1 wants nothing below the cell `idle` of that level, and all elsewhere; class 2 wants all
/// everywhere.
void leave_idle(CellWorld& world, int level, CellId idle) {
  for (std::size_t i = 0; i < world.size(); ++i) {
    world.want(i, {cell_above(world, i, level) == idle ? 0 : 4000, 4000});
  }
}

TEST(CellTree, SavingsReachTheOtherEndOfATree) {
  auto options = options_of(10, 2);
  options.params.cell.fan_out = 3;
  options.params.cell.cell_min = 0.3;
  CellWorld world(options);
  for (std::size_t i = 0; i < world.size(); ++i) world.want(i, {4000, 4000});
  ASSERT_TRUE(world.run_until([&] { return is_tree(world, 2); }, 600s)) << world.describe();
  ASSERT_TRUE(world.set_shares(0, {1, 1}));
  world.run_for(20s);
  const CellId idle = cell_above(world, 0, 1);
  leave_idle(world, 1, idle);
  // A cell of nodes below the idle half sent savings to one that is not.
  const auto crossed = [&] {
    for (const auto& [cell, members] : world.cells()) {
      const auto* books = world.books(cell);
      if (books == nullptr || books->roster().parent != idle) continue;
      for (const auto& partner : books->ledger().state().partners) {
        const CellId other = parent_of(world, partner.cell);
        if (partner.sent > 0 && other && other != idle) return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(world.run_until(crossed, 120s)) << world.describe();
  // A consistent cut: nothing is under way.
  for (std::size_t i = 0; i < world.size(); ++i) world.want(i, {4000, 4000});
  world.run_for(40s);
  std::vector<const sched::books::State*> states;
  for (const auto& [cell, members] : world.cells()) {
    ASSERT_NE(world.books(cell), nullptr);
    states.push_back(&world.books(cell)->ledger().state());
  }
  EXPECT_EQ(sched::broken_between(states).value_or(""), "");
  const auto sum = sched::add_up(states);
  EXPECT_GT(sum.sent, 0);
  EXPECT_EQ(sum.sent, sum.received);
  EXPECT_EQ(sum.in_flight, 0);
  EXPECT_EQ(world.violation(), "");
}

// Two cells of three nodes, two classes with equal shares, and one of them has tasks in one cell
// alone. Each cell by itself would give it half of that cell, a quarter of all. The cell above
// grants it all of that one.
TEST(CellTree, ClusterReservesShareAcrossTwoLevels) {
  auto options = options_of(6, 3);
  options.params.cell.sharing = sched::SharingMode::cluster_reserves;
  CellWorld world(options);
  const auto two_cells = [&] { return is_tree(world, 1) && world.cells().size() == 2; };
  ASSERT_TRUE(world.run_until(two_cells, 300s)) << world.describe();
  ASSERT_TRUE(world.set_shares(0, {1, 1}));
  leave_idle(world, 0, world.cells().begin()->first);
  world.run_for(60s);
  const auto used = shares_used(world, 2, 60s);
  EXPECT_NEAR(used[0], 0.5, 0.05);
  EXPECT_NEAR(used[1], 0.5, 0.05);
  EXPECT_EQ(world.violation(), "");
}

}  // namespace
}  // namespace dunlin::test
