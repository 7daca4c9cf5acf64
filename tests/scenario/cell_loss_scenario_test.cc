// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>

#include "sched/cell/sharing_params.h"
#include "tests/scenario/cells.h"

// Cells that are lost for good, and what an operator can do.
namespace dunlin::test {
namespace {

using sched::CellId;

TEST(CellLoss, ASoleVoterEvictsWhoDied) {
  CellWorld world(options_of(2, 8));
  const auto together = [&] { return world.settled() && world.cells().size() == 1; };
  ASSERT_TRUE(world.run_until(together, 120s)) << world.describe();
  const auto [cell, chief] = only_cell(world);
  ASSERT_EQ(voters_of(world, cell), 1u);
  world.kill(1 - chief);
  const auto alone = [&, c = cell] { return world.books(c)->ledger().state().nodes.size() == 1; };
  EXPECT_TRUE(world.run_until(alone, 60s)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

/// Two cells of three below one, with savings that go from the rich to the poor one.
class LostCell : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto rooted = [&] {
      const auto roots = world.managers(1);
      return world.settled() && world.cells().size() == 2 && roots.size() == 1 &&
          world.books(roots.begin()->first)->roster().members.size() == 2;
    };
    ASSERT_TRUE(world.run_until(rooted, 300s)) << world.describe();
    ASSERT_TRUE(world.set_shares(0, {1, 1}));
    root = world.managers(1).begin()->first;
    // The root's books survive.
    const std::size_t chief = world.managers(1).at(root);
    for (const auto& [cell, size] : world.cells()) {
      (world.node(chief).member().cell() == cell ? rich : poor) = cell;
    }
    for (const std::size_t i : members_of(world, rich)) world.want(i, {0, 4000});
    for (const std::size_t i : members_of(world, poor)) world.want(i, {4000, 4000});
    const auto moved = [&] {
      return world.books(rich)->ledger().state().totals.sent > 1000 && world.books(poor) != nullptr;
    };
    ASSERT_TRUE(world.run_until(moved, 120s)) << world.describe();
    ASSERT_NE(world.books(root), nullptr);
  }

  static CellWorldOptions options() {
    auto options = options_of(6, 3);
    options.params.transfer.amount = 500;
    options.params.cell.root_voters = 1;
    return options;
  }
  void lose_poor() {
    lost = members_of(world, poor);
    for (const std::size_t i : lost) world.kill(i);
  }
  Result<void> write_off(CellId in, bool reissue = false) {
    const std::size_t chief = world.managers(sched::level_of(in)).at(in);
    return world.act(chief,
        [&](const auto& turn, auto& self) { return self.write_off(turn, in, poor, reissue); });
  }
  sched::Tickets under_way() {
    const auto& partners = world.books(rich)->ledger().state().partners;
    const auto at = std::ranges::find(partners, poor, &sched::books::Partner::cell);
    sched::Tickets sum = 0;
    for (const auto& each : at->outgoing) {
      for (const auto& deposit : each.deposits) sum += deposit.tickets;
    }
    return sum;
  }

  CellWorld world{options()};
  CellId root;
  CellId rich;
  CellId poor;
  std::vector<std::size_t> lost;
};

TEST_F(LostCell, IsMissedByTheOneAbove) {
  lose_poor();
  const auto missed = [&] { return !world.books(root)->roster().missing.empty(); };
  ASSERT_TRUE(world.run_until(missed, 60s)) << world.describe();
  const auto& missing = world.books(root)->roster().missing.front();
  EXPECT_EQ(missing.cell, poor);
  EXPECT_EQ(missing.tickets, 12'000);
  // Back again, it is missing no longer.
  for (const std::size_t i : lost) world.restart(i);
  EXPECT_TRUE(world.run_until([&] { return !missed(); }, 120s)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

TEST_F(LostCell, IsNotWrittenOffAsLongAsItMayLive) {
  const auto refused = write_off(root);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::conflict);
  EXPECT_FALSE(write_off(rich));
  lose_poor();
  world.run_for(2s);
  EXPECT_FALSE(write_off(root));
  EXPECT_FALSE(write_off(rich));
}

TEST_F(LostCell, GivesBackWhatWasUnderWayToIt) {
  ASSERT_TRUE(world.run_until([&] { return under_way() > 0; }, 120s)) << world.describe();
  lose_poor();
  world.run_for(30s);
  const auto way = under_way();
  const auto before = world.books(rich)->ledger().state().totals.reissued;
  ASSERT_TRUE(write_off(root));
  ASSERT_TRUE(write_off(rich, true));
  const auto done = [&] {
    return world.books(root)->is_lost(poor) && world.books(rich)->is_lost(poor);
  };
  ASSERT_TRUE(world.run_until(done, 10s)) << world.describe();
  EXPECT_EQ(under_way(), 0);
  EXPECT_GT(way, 0);
  EXPECT_TRUE(world.books(root)->roster().missing.empty());
  EXPECT_EQ(world.count<sched::CellWrittenOff>(), 2u);
  // The savings that it had in net from there are issued again, once.
  const auto reissued = world.books(rich)->ledger().state().totals.reissued;
  EXPECT_GT(reissued, before);
  EXPECT_TRUE(write_off(rich, true));
  world.run_for(10s);
  EXPECT_EQ(world.books(rich)->ledger().state().totals.reissued, reissued);
  EXPECT_EQ(world.count<sched::CellWrittenOff>(), 2u);
  const sched::books::State* const states[] = {
      &world.books(root)->ledger().state(), &world.books(rich)->ledger().state()};
  EXPECT_EQ(sched::broken_between(states).value_or(""), "");
  EXPECT_EQ(world.violation(), "");
}

TEST_F(LostCell, ThatComesBackAfterAllCountsNoMore) {
  lose_poor();
  world.run_for(30s);
  ASSERT_TRUE(write_off(root));
  ASSERT_TRUE(write_off(rich));
  world.run_for(5s);
  for (const std::size_t i : lost) world.restart(i);
  const auto over = [&] {
    return world.settled() && !world.cells().contains(poor) && !world.managers().contains(poor);
  };
  EXPECT_TRUE(world.run_until(over, 180s)) << world.describe();
  EXPECT_EQ(world.violation(), "");
}

}  // namespace
}  // namespace dunlin::test
