// SPDX-License-Identifier: MIT
#include <algorithm>
#include <gtest/gtest.h>

#include "sched/cell/sharing_params.h"
#include "tests/scenario/cells.h"

// The shares of classes, within a cell and between cells.
namespace dunlin::test {
namespace {

using sched::CellId;
using sched::Tickets;

TEST(CellSharing, SaturatedClassesUseTheirShares) {
  for (const auto mode : {sched::SharingMode::bank, sched::SharingMode::cluster_reserves}) {
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

TEST(CellSharing, AClassThatWasIdleDrawsWhatItSaved) {
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

/// The tickets of class 1 in a cell of four nodes, where it was busy, then idle, then busy again
/// while there was room.
struct Reserved {
  Tickets kept = 0;   ///< At its nodes, when it had been idle for a while.
  Tickets saved = 0;  ///< In the bank, at that time.
  Tickets left = 0;   ///< At its nodes, when it had been busy again.
};

Reserved after_a_pause(double local_reserve_share) {
  auto options = options_of(4, 8);
  options.params.bank.local_reserve_share = local_reserve_share;
  options.params.bank.local_reserve_expiry = 1h;  // What is gone was drawn.
  CellWorld world(options);
  saturate(world, 3);
  EXPECT_TRUE(form_one_cell(world)) << world.describe() << world.violation();
  world.run_for(30s);
  const auto wants = [&](const std::vector<Tickets>& wanted) {
    for (std::size_t i = 0; i < world.size(); ++i) world.want(i, wanted);
  };
  const auto ledger = [&] { return world.books(world.cells().begin()->first)->ledger(); };
  const auto kept = [&] {
    Tickets sum = 0;
    for (std::size_t i = 0; i < world.size(); ++i) {
      sum += ledger().local_reserve(1, world.endpoint(i).id);
    }
    return sum;
  };
  Reserved reserved;
  wants({0, 4000, 4000});
  world.run_for(20s);
  reserved.kept = kept();
  reserved.saved = ledger().balance(1);
  wants({4000, 0, 0});
  world.run_for(30s);
  reserved.left = kept();
  EXPECT_EQ(world.violation(), "");
  return reserved;
}

TEST(CellSharing, AClassKeepsTicketsAtItsNodesForItsReturn) {
  const Reserved none = after_a_pause(0);
  EXPECT_EQ(none.kept, 0);
  EXPECT_GT(none.saved, 0);
  const Reserved all = after_a_pause(1);
  EXPECT_GT(all.kept, 4 * 2000);
  EXPECT_LT(all.saved, none.saved);
  EXPECT_LT(all.left, all.kept);
}

TEST(CellSharing, ManagersOfManagersMoveSavings) {
  auto options = options_of(6, 3);
  options.params.transfer.amount = 500;
  CellWorld world(options);
  const auto rooted = [&] {
    if (!world.settled() || world.cells().size() != 2) return false;
    const auto roots = world.managers(1);
    if (roots.size() != 1) return false;
    return world.books(roots.begin()->first)->roster().members.size() == 2;
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
