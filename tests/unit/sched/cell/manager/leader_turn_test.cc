// SPDX-License-Identifier: MIT
#include "sched/cell/manager/leader_turn.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

TEST(LeaderTurn, ProposalsHaveIdsAndOutcomesOfTheirOwn) {
  test::LedCell cell;
  const auto first = cell.turn().propose(books::Tick{});
  const auto second = cell.turn().propose_change(books::Dissolve{.into = cell_id(0, 0x990)});
  ASSERT_TRUE(first && second);
  EXPECT_NE(second, first);
  std::vector<std::uint64_t> decided;
  cell.decide([&](const LeaderTurn&, const Resolution& outcome) { decided.push_back(outcome.id); });
  EXPECT_EQ(decided, (std::vector{*first, *second}));
  EXPECT_TRUE(cell.books().roster().dissolving);
}

// The clock of the books stood still while no manager led, and goes on from where it stood.
TEST(LeaderTurn, StampsGoOnWhereTheBooksStood) {
  test::LedCell cell;
  cell.now += 5s;
  cell.apply(books::Tick{});
  EXPECT_EQ(cell.ledger().state().now, Time{} + 5s);
  cell.now += 1h;  // No manager leads meanwhile.
  Proposer next(cell.now, cell.context());
  cell.now += 2s;
  EXPECT_EQ(next.stamp(cell.now), Time{} + 7s);
}

TEST(LeaderTurn, GossipTheRosterAndTheParentsLeaseTellWhichNodeSpeaks) {
  test::LedCell cell;
  const CellId parent = cell_id(1, 0x110);
  EXPECT_FALSE(cell.turn().speaks_for(parent, {7}));
  cell.apply_change(
      books::SetParent{.parent = parent, .contacts = {contact_of(test::CellStage::at(7))}});
  EXPECT_TRUE(cell.turn().speaks_for(parent, {7}));
  EXPECT_FALSE(cell.turn().speaks_for(parent, {8}));

  const CellId other = cell_id(0, 0x220);
  auto hint = test::CellStage::hint(other, 3, 1);
  hint.manager.node = PeerId{9};
  cell.hints.hear(cell.now, 1h, hint);
  EXPECT_TRUE(cell.turn().speaks_for(other, {9}));

  const auto contact = contact_of(test::CellStage::at(8));
  cell.above.emplace(cell.params.cell, 1, cell.cell());
  cell.above->join(cell.now, parent, std::span(&contact, 1));
  EXPECT_TRUE(cell.turn().speaks_for(parent, {8}));
}

}  // namespace
}  // namespace dunlin::sched
