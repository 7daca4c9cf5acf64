// SPDX-License-Identifier: MIT
#include "sched/cell/manager/cell_manager.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class CellManagerTest : public ::testing::Test {
 protected:
  CellTurn turn() { return cell.CellStage::turn(); }
  Handling hear(std::uint64_t from, const cell::Message& message) {
    return manager.receive(turn(), cell.context(), cell.at(from), message);
  }
  void decide() {
    cell.store.commit();
    for (const Resolution& outcome : cell.group->take_outcomes()) {
      manager.done(turn(), cell.context(), outcome);
    }
  }
  void wake() {
    manager.wake(turn(), cell.context());
    decide();
  }
  /// A node that asks to be a member, and becomes one.
  void join(std::uint64_t number) {
    hear(number, cell.report(number));
    decide();
  }

  test::LedCell cell;
  CellManager manager{cell.params, cell.at(test::LedCell::kSelf), cell.now, cell.context()};
};

TEST_F(CellManagerTest, ItActsAtOnceAndThenEachPeriod) {
  EXPECT_EQ(manager.epoch(), *cell.group->epoch());
  EXPECT_LE(manager.deadline(), cell.now);
  wake();
  EXPECT_EQ(manager.deadline(), cell.now + cell.params.cell.period);
  const auto index = cell.group->last_index();
  wake();  // Not due: nothing is proposed.
  EXPECT_EQ(cell.group->last_index(), index);
  cell.now += cell.params.cell.period;
  wake();
  EXPECT_GT(cell.group->last_index(), index);
}

TEST_F(CellManagerTest, AReportReachesTheMembershipAndTheAllocation) {
  cell.set_shares({1});
  join(7);
  auto report = cell.report(7);
  report.uses = {{.class_id = 1, .used = 4000, .need = 1000}};
  EXPECT_EQ(hear(7, report), Handling::handled);
  cell.sent.clear();
  wake();
  ASSERT_EQ(cell.ledger().node(PeerId{7})->grants.size(), 1u);
  const auto leases = cell.told<cell::Lease>(7);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases.front().grants.front().tickets, 4000);
}

// Without its sender and its number, a report cannot be answered.
TEST_F(CellManagerTest, AReportWithoutNameOrNumberIsNothing) {
  EXPECT_EQ(hear(7, cell::MemberReport{.cell = cell.cell(), .sequence = 1}), Handling::handled);
  EXPECT_EQ(
      hear(7, cell::MemberReport{.cell = cell.cell(), .member = PeerId{7}}), Handling::handled);
  EXPECT_TRUE(manager.members().all().empty());
  EXPECT_TRUE(cell.sent.empty());
}

TEST_F(CellManagerTest, MessagesReachTheServiceTheyAreFor) {
  EXPECT_EQ(hear(9, cell::Verdict{.from = cell.cell(), .to = {5}, .number = 1}), Handling::refused);
  EXPECT_EQ(hear(9, cell::WrittenOff{.cell = cell.cell(), .by = {5}}), Handling::refused);
  hear(9, cell::Resign{.cell = cell.cell(), .replica = 99});
  EXPECT_EQ(cell.told<cell::Discharge>(9).size(), 1u);
  EXPECT_EQ(hear(9, cell::Gossip{}), Handling::passed);
}

TEST_F(CellManagerTest, OnlyANewerClassTableIsProposed) {
  const books::Classes classes{.version = 5, .classes = {{.class_id = 1, .name = "a", .share = 1}}};
  manager.set_classes(turn(), cell.context(), classes);
  EXPECT_EQ(cell.books().roster().classes, classes);
  const auto index = cell.group->last_index();
  manager.set_classes(turn(), cell.context(), classes);
  EXPECT_EQ(cell.group->last_index(), index);
}

TEST_F(CellManagerTest, ItsHintTellsOfRoomAndOfItsEnd) {
  join(7);
  const auto hint = manager.hint(cell.books());
  EXPECT_EQ(hint.cell, cell.cell());
  EXPECT_EQ(hint.manager.node, PeerId{test::LedCell::kSelf});
  EXPECT_EQ(hint.size, 1u);
  EXPECT_EQ(hint.room, cell.params.cell.cell_size - 1u);
  manager.dissolve(turn(), cell.context(), cell_id(0, 0x330));
  const auto last = manager.hint(cell.books());
  EXPECT_GT(last.stamp, hint.stamp);
  EXPECT_EQ(last.room, 0u);
  EXPECT_TRUE(last.dissolving);
}

TEST_F(CellManagerTest, BooksThatAreClosedAreLeftAlone) {
  manager.dissolve(turn(), cell.context(), {});
  wake();
  ASSERT_TRUE(cell.books().roster().closed);
  const auto index = cell.group->last_index();
  cell.now += cell.params.cell.period;
  wake();
  EXPECT_EQ(cell.group->last_index(), index);
}

TEST_F(CellManagerTest, AnOperatorsWordIsFollowedByAnEvent) {
  ASSERT_TRUE(manager.write_off(turn(), cell.context(), cell_id(0, 0x330), false));
  decide();
  EXPECT_EQ(cell.seen<CellWrittenOff>(), 1u);
}

}  // namespace
}  // namespace dunlin::sched
