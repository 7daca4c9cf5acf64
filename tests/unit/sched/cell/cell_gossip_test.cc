// SPDX-License-Identifier: MIT
#include "sched/cell/cell_gossip.h"

#include <gtest/gtest.h>

#include "sched/ledger/class_version.h"
#include "tests/support/cell_stage.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class CellGossipTest : public ::testing::Test {
 protected:
  static books::Classes table(std::uint64_t version) {
    return {.version = version, .classes = {{.class_id = 1, .name = "a", .share = 1}}};
  }
  /// The number of messages that leave in so long.
  std::size_t told_in(Duration span, bool seeks) {
    stage.sent.clear();
    for (const Time end = stage.now + span; gossip.deadline() <= end;) {
      stage.now = std::max(stage.now, gossip.deadline());
      gossip.wake(stage.turn(), seeks);
    }
    return stage.sent.size();
  }
  void settle() {
    stage.node.target = stage.at(7);
    (void)told_in(10s, false);
    stage.sent.clear();
  }

  test::CellStage stage;
  CellParams params;
  CellGossip gossip{params};
};

TEST_F(CellGossipTest, AQuestionIsAnsweredInKind) {
  gossip.hear(stage.now, test::CellStage::hint(cell_id(0, 0x110), 3, 1));
  gossip.receive(
      stage.turn(), stage.at(7), {.hints = {test::CellStage::hint(cell_id(0, 0x220), 3, 1)}});
  ASSERT_EQ(stage.told<cell::Gossip>(7).size(), 1u);
  const auto answer = stage.told<cell::Gossip>(7).front();
  EXPECT_TRUE(answer.reply);
  EXPECT_EQ(answer.hints.size(), 2u);
  EXPECT_NE(gossip.hints().find(cell_id(0, 0x220)), nullptr);
  gossip.receive(stage.turn(), stage.at(7), {.reply = true});
  EXPECT_EQ(stage.sent.size(), 1u);  // An answer gets none.
}

TEST_F(CellGossipTest, TheTableGoesOnlyToNodesThatLackIt) {
  gossip.adopt(stage.turn(), table(5));
  EXPECT_EQ(stage.seen<ClassesChanged>(), 1u);
  // "version=134405" says nothing to those who made version 2.
  EXPECT_EQ(std::get<ClassesChanged>(stage.events.seen.back()).version, edition_of(5));
  gossip.receive(stage.turn(), stage.at(7), {.version = 5});
  EXPECT_EQ(stage.told<cell::Gossip>(7).front().classes.version, 0u);
  gossip.receive(stage.turn(), stage.at(8), {.version = 4, .reply = true});
  ASSERT_EQ(stage.told<cell::Gossip>(8).size(), 1u);
  EXPECT_EQ(stage.told<cell::Gossip>(8).front().classes, table(5));
  gossip.receive(stage.turn(), stage.at(9), {.version = 6, .classes = table(6), .reply = true});
  EXPECT_EQ(gossip.table().version(), 6u);
  EXPECT_TRUE(stage.told<cell::Gossip>(9).empty());
}

TEST_F(CellGossipTest, NewsAndNodesWithoutACellHurry) {
  settle();
  const std::size_t calm = told_in(20s, false);
  EXPECT_GE(calm, 8u);
  EXPECT_LE(calm, 14u);
  EXPECT_GE(told_in(20s, true), 6 * calm);
  settle();
  gossip.adopt(stage.turn(), table(5));
  EXPECT_GE(told_in(1500ms, false), 4u);
}

TEST_F(CellGossipTest, ANeedIsToldToAllAndNeverForgotten) {
  settle();
  gossip.receive(stage.turn(), stage.at(9), {.reply = true, .needs = 2});
  EXPECT_GE(told_in(1500ms, false), 4u) << "it is news";
  EXPECT_EQ(stage.told<cell::Gossip>(7).front().needs, 2u);
  EXPECT_EQ(stage.told<cell::Gossip>(7).front().version, 0u);
  // A need that this build has no name for is passed on all the same.
  gossip.receive(stage.turn(), stage.at(8), {.needs = 0x101});
  EXPECT_EQ(stage.told<cell::Gossip>(8).front().needs, 0x102u) << "no classes without a table";
  gossip.adopt(stage.turn(), table(5));
  EXPECT_TRUE(gossip.needs().has(CellNeed::classes));
}

TEST_F(CellGossipTest, WithoutANeighbourNothingIsTold) {
  EXPECT_EQ(told_in(20s, false), 0u);
}

TEST_F(CellGossipTest, AFullCellRefersToCellsOfItsLevelWithRoom) {
  gossip.hear(stage.now, test::CellStage::hint(cell_id(0, 0x110), 3, 0));
  gossip.hear(stage.now, test::CellStage::hint(cell_id(1, 0x120), 3, 9));
  gossip.refer(stage.turn(), stage.at(7), 0);
  EXPECT_TRUE(stage.sent.empty());
  gossip.hear(stage.now, test::CellStage::hint(cell_id(0, 0x130), 3, 2));
  gossip.refer(stage.turn(), stage.at(7), 0);
  ASSERT_EQ(stage.told<cell::Gossip>(7).size(), 1u);
  const auto told = stage.told<cell::Gossip>(7).front();
  EXPECT_TRUE(told.reply);  // It wants no answer.
  ASSERT_EQ(told.hints.size(), 1u);
  EXPECT_EQ(told.hints.front().cell, cell_id(0, 0x130));
  gossip.full(cell_id(0, 0x130));
  stage.sent.clear();
  gossip.refer(stage.turn(), stage.at(7), 0);
  EXPECT_TRUE(stage.sent.empty());
}

TEST_F(CellGossipTest, ANewerTableGoesUpWithTheNextLease) {
  const CellId cell = cell_id(0, 0x110);
  gossip.adopt(stage.turn(), table(5));
  const cell::Lease lease{
      .cell = cell, .member = PeerId{1}, .standing = cell::Standing::member, .version = 4};
  gossip.on_lease(stage.turn(), stage.at(7), lease, cell_id(0, 0x990));
  EXPECT_TRUE(stage.sent.empty());  // A lease of a cell that it left.
  gossip.on_lease(stage.turn(), stage.at(7), lease, cell);
  ASSERT_EQ(stage.told<cell::SetClasses>(7).size(), 1u);
  EXPECT_EQ(stage.told<cell::SetClasses>(7).front().classes, table(5));
}

TEST_F(CellGossipTest, OldHintsAreForgotten) {
  gossip.hear(stage.now, test::CellStage::hint(cell_id(0, 0x110), 3, 1));
  stage.now += params.hint_life;
  gossip.forget_old(stage.now);
  EXPECT_EQ(gossip.hints().find(cell_id(0, 0x110)), nullptr);
}

}  // namespace
}  // namespace dunlin::sched
