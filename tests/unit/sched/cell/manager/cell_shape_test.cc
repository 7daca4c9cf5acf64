// SPDX-License-Identifier: MIT
#include "sched/cell/manager/cell_shape.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

const CellId kLarge = cell_id(0, 0x330);

class CellShapeTest : public ::testing::Test {
 protected:
  CellShapeTest() {
    cell.params.cell.cell_size = 10;
    cell.params.cell.merge_rounds = 3;
    cell.admit(7);
  }

  void hear(CellId which, std::uint32_t size, std::uint32_t room) {
    auto hint = test::CellStage::hint(which, size, room);
    hint.stamp = ++stamp;
    cell.hints.hear(cell.now, 1h, hint);
  }
  /// True if the cell is to end after at most so many periods.
  bool dissolves_within(int periods) {
    for (int i = 0; i < periods && !cell.books().roster().dissolving; ++i) {
      shape.on_period(cell.turn());
      cell.store.commit();
    }
    return cell.books().roster().dissolving;
  }
  void decide() {
    cell.store.commit();
    cell.decide(
        [&](const LeaderTurn& turn, const Resolution& outcome) { desk.on_outcome(turn, outcome); });
  }

  test::LedCell cell;
  Membership members{cell.params.cell, cell.at(test::LedCell::kSelf), cell.now, cell.books()};
  TransferDesk desk;
  LogMoves moves;
  CellShape shape{cell.params.cell, members, desk, moves};
  std::uint64_t stamp = 0;
};

TEST_F(CellShapeTest, ASmallCellEndsWhereALargerOneHasRoom) {
  EXPECT_FALSE(dissolves_within(100));
  hear(kLarge, 5, 0);
  EXPECT_FALSE(dissolves_within(100));
  hear(kLarge, 5, 5);
  EXPECT_FALSE(dissolves_within(2));  // Not before merge_rounds.
  EXPECT_TRUE(dissolves_within(100));
  EXPECT_EQ(cell.books().roster().into, kLarge);
}

// So two never wait for each other, nor do both go.
TEST_F(CellShapeTest, OfTwoEqualCellsTheOneOfTheHigherIdGoes) {
  const auto size = static_cast<std::uint32_t>(cell.books().ledger().state().nodes.size());
  EXPECT_EQ(size, 1u);
  hear({cell.cell().value + 0x100}, size, 9);
  EXPECT_FALSE(dissolves_within(100));
  hear({cell.cell().value - 0x100}, size, 9);
  EXPECT_TRUE(dissolves_within(100));
}

// Two nodes of a young cluster may each establish a cell. Its jobs wait for standbys until one of
// both has gone, so no lots are drawn where no other cell can go at the same time.
TEST_F(CellShapeTest, OfTwoCellsTheSmallerGoesAsSoonAsItMay) {
  hear(kLarge, 5, 5);
  EXPECT_FALSE(dissolves_within(2));
  EXPECT_TRUE(dissolves_within(1));
}

TEST_F(CellShapeTest, OfMoreCellsEachDrawsLots) {
  hear(kLarge, 5, 5);
  hear(cell_id(0, 0x440), 1, 9);
  std::uint64_t seed = 1;
  while (overlay::Rng(seed).chance(0.25)) ++seed;
  cell.rng = overlay::Rng(seed);
  EXPECT_FALSE(dissolves_within(3));
  EXPECT_TRUE(dissolves_within(100));
}

TEST_F(CellShapeTest, ACellOfEnoughMembersStays) {
  for (std::uint64_t number = 10; number < 14; ++number) cell.admit(number);
  hear(kLarge, 5, 5);
  EXPECT_FALSE(dissolves_within(100));
}

TEST_F(CellShapeTest, TheParentIsNotedOnce) {
  const books::SetParent parent{.parent = cell_id(1, 0x110), .contacts = {contact_of(cell.at(9))}};
  shape.set_parent(cell.turn(), parent);
  EXPECT_EQ(cell.books().roster().parent, parent.parent);
  const auto index = cell.group->last_index();
  shape.set_parent(cell.turn(), parent);
  EXPECT_EQ(cell.group->last_index(), index);
}

TEST_F(CellShapeTest, TheSavingsGoFirstAndThenTheBooksClose) {
  cell.set_shares({1});
  cell.apply(books::Allocate{.period = 1,
      .until = Time{} + 10s,
      .release = Time{} + 12s,
      .sheets = {},
      .deposits = {{.node = PeerId{7}, .class_id = 1, .tickets = 1000, .expires = Time{} + 1h}},
      .draws = {}});
  hear(kLarge, 5, 5);
  shape.dissolve(cell.turn(), kLarge);
  shape.on_period(cell.turn());
  decide();
  EXPECT_EQ(cell.ledger().balance(1), 1000);  // Its member has not left yet.
  cell.apply(books::Burn{.node = PeerId{7}, .returned = true});
  shape.on_period(cell.turn());
  decide();
  EXPECT_EQ(cell.ledger().balance(1), 0);
  shape.on_period(cell.turn());
  EXPECT_FALSE(cell.books().roster().closed);  // They are under way.
  cell.apply(books::Settle{.to = kLarge, .number = 1});
  shape.on_period(cell.turn());
  EXPECT_TRUE(cell.books().roster().closed);
}

// Until other books have it, these alone say which node may take the log over.
TEST_F(CellShapeTest, TheBooksDoNotCloseBeforeTheirLogsHaveMoved) {
  const auto replica = [&](std::uint64_t node) {
    return books::LogMember{.replica = 1000 + node, .contact = contact_of(cell.at(node))};
  };
  constexpr std::uint64_t kLog = 77;
  cell.apply_change(books::OpenLog{.log = kLog, .home = replica(1)});
  cell.apply_change(books::ChangeLogSet{kLog, 1, 1, {replica(1), replica(2)}});
  hear(kLarge, 5, 5);
  shape.dissolve(cell.turn(), kLarge);
  cell.apply(books::Burn{.node = PeerId{7}, .returned = true});
  cell.apply_change(
      books::FreezeLog{.log = kLog, .to = kLarge, .contacts = {contact_of(cell.at(9))}});
  shape.on_period(cell.turn());
  decide();
  EXPECT_FALSE(cell.books().roster().closed);
  moves.on_message(cell.turn(), cell.at(9),
      cell::LogAnswer{.cell = kLarge,
          .log = kLog,
          .standing = cell::LogStanding::known,
          .entry = cell.books().roster().logs.front()});
  shape.on_period(cell.turn());
  decide();
  EXPECT_TRUE(cell.books().roster().closed);
}

}  // namespace
}  // namespace dunlin::sched
