// SPDX-License-Identifier: MIT
#include "sched/cell/manager/lost_cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const CellId kLost = cell_id(0, 0x330);

class LostCellsTest : public ::testing::Test {
 protected:
  /// The cell has savings, and sent some of them to kLost.
  void save_and_send(Tickets sent) {
    cell.set_shares({3, 1});
    cell.admit(7);
    cell.apply(books::Allocate{.period = 1,
        .until = Time{} + 10s,
        .release = Time{} + 12s,
        .sheets = {},
        .deposits = {{.node = PeerId{7}, .class_id = 1, .tickets = 1000, .expires = Time{} + 1h}},
        .draws = {}});
    cell.apply(books::HoldSavings{.to = kLost, .number = 1, .class_id = 1, .tickets = sent});
    cell.apply(books::Settle{.to = kLost, .number = 1});
  }
  void decide() {
    cell.decide(
        [&](const LeaderTurn& turn, const Resolution& outcome) { lost.on_outcome(turn, outcome); });
  }

  test::LedCell cell;
  LostCells lost{cell.params};
};

TEST_F(LostCellsTest, ACellIsWrittenOffOnce) {
  save_and_send(400);
  ASSERT_TRUE(lost.write_off(cell.turn(), kLost, true));
  EXPECT_EQ(cell.seen<CellWrittenOff>(), 0u);  // Not before the books agree.
  decide();
  EXPECT_EQ(cell.seen<CellWrittenOff>(), 1u);
  EXPECT_TRUE(cell.books().is_lost(kLost));
  // The savings that it had in net are issued again, by the shares of classes.
  EXPECT_EQ(cell.ledger().balance(1), 600 + 300);
  EXPECT_EQ(cell.ledger().balance(2), 100);
  ASSERT_TRUE(lost.write_off(cell.turn(), kLost, true));
  decide();
  EXPECT_EQ(cell.seen<CellWrittenOff>(), 1u);
}

TEST_F(LostCellsTest, WithoutReissueWhatItHadIsGone) {
  save_and_send(400);
  ASSERT_TRUE(lost.write_off(cell.turn(), kLost, false));
  EXPECT_EQ(cell.ledger().balance(1), 600);
  EXPECT_EQ(cell.ledger().balance(2), 0);
}

TEST_F(LostCellsTest, ACellThatMayLiveIsNotWrittenOff) {
  const auto own = lost.write_off(cell.turn(), cell.cell(), false);
  ASSERT_FALSE(own);
  EXPECT_EQ(own.error().kind, ErrorKind::usage);
  cell.hints.hear(cell.now, 1h, test::CellStage::hint(kLost, 3, 1));
  cell.now += 4s;
  const auto heard = lost.write_off(cell.turn(), kLost, false);
  ASSERT_FALSE(heard);
  EXPECT_THAT(heard.error().text, HasSubstr("was heard of 4 s ago"));
  cell.now += cell.params.cell.lease;
  EXPECT_TRUE(lost.write_off(cell.turn(), kLost, false));
}

TEST(LostCellsAbove, AMemberIsNotWrittenOffButMissed) {
  test::LedCell cell(1);
  LostCells lost(cell.params);
  cell.admit(kLost);
  const auto member = lost.write_off(cell.turn(), kLost, false);
  ASSERT_FALSE(member);
  EXPECT_THAT(member.error().text, HasSubstr("is a member of cell"));

  cell.apply(books::Burn{.node = kLost, .returned = true});
  cell.apply_change(books::Missing{.cell = kLost, .tickets = 4000});
  lost.on_period(cell.turn());
  EXPECT_EQ(cell.books().roster().missing.size(), 1u);
  cell.hints.hear(cell.now, 1h, test::CellStage::hint(kLost, 3, 1));
  lost.on_period(cell.turn());
  EXPECT_TRUE(cell.books().roster().missing.empty());
}

TEST(LostCellsAbove, ACellThatComesBackIsToldToEnd) {
  test::LedCell cell(1);
  LostCells lost(cell.params);
  ASSERT_TRUE(lost.write_off(cell.turn(), kLost, false));
  EXPECT_EQ(lost.on_message(cell.turn(), cell.at(7), cell.report(kLost)), Handling::handled);
  ASSERT_EQ(cell.told<cell::WrittenOff>(7).size(), 1u);
  EXPECT_EQ(cell.told<cell::WrittenOff>(7).front().by, cell.cell());
  // Another cell's report is not for this service.
  EXPECT_EQ(
      lost.on_message(cell.turn(), cell.at(8), cell.report(cell_id(0, 0x440))), Handling::passed);
  // Gossip told where it is managed: it is told there, too.
  auto back = test::CellStage::hint(kLost, 3, 1);
  back.manager.node = PeerId{9};
  cell.hints.hear(cell.now, 1h, back);
  lost.on_period(cell.turn());
  EXPECT_EQ(cell.told<cell::WrittenOff>(9).size(), 1u);
}

TEST_F(LostCellsTest, OnlyARelatedCellMayAnnulTheseBooks) {
  const CellId parent = cell_id(1, 0x110);
  const cell::WrittenOff word{.cell = cell.cell(), .by = parent};
  EXPECT_EQ(lost.on_message(cell.turn(), cell.at(7), word), Handling::refused);
  EXPECT_FALSE(cell.books().roster().closed);
  cell.apply_change(books::SetParent{.parent = parent, .contacts = {contact_of(cell.at(7))}});
  EXPECT_EQ(lost.on_message(cell.turn(), cell.at(8), word), Handling::refused);
  EXPECT_EQ(lost.on_message(cell.turn(), cell.at(7), word), Handling::handled);
  decide();
  EXPECT_TRUE(cell.books().roster().closed);
  EXPECT_EQ(cell.seen<CellWrittenOff>(), 1u);
}

}  // namespace
}  // namespace dunlin::sched
