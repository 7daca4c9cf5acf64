// SPDX-License-Identifier: MIT
#include "sched/cell/manager/log_moves.h"

#include <gtest/gtest.h>

#include "sched/ledger/log_commands.h"
#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using cell::LogStanding;

constexpr std::uint64_t kMovedLog = 77;
constexpr std::uint64_t kHeir = 9;  ///< The node that manages the other cell.
const CellId kOther = cell_id(0, 0x220);

class LogMovesTest : public ::testing::Test {
 protected:
  LogMovesTest() {
    cell.apply_change(books::OpenLog{.log = kMovedLog, .home = member(1)});
    auto hint = test::CellStage::hint(kOther, 5, 5);
    hint.manager = contact_of(cell.at(kHeir));
    cell.hints.hear(cell.now, 1h, hint);
  }
  books::LogMember member(std::uint64_t node) const {
    return {.replica = 1000 + node, .contact = contact_of(cell.at(node))};
  }
  /// Node 2 becomes a standby of node 1.
  void grow() { cell.apply_change(books::ChangeLogSet{kMovedLog, 1, 1, {member(1), member(2)}}); }
  void dissolve() { cell.apply_change(books::Dissolve{.into = kOther}); }
  void period() {
    cell.sent.clear();
    moves.on_period(cell.turn());
    cell.store.commit();
  }
  /// The other cell answers in its office. A log that it knows is as it was frozen here.
  cell::LogAnswer answer(LogStanding standing) const {
    const bool known = standing == LogStanding::known;
    return {.cell = kOther,
        .log = kMovedLog,
        .standing = standing,
        .entry = known ? cell.books().roster().logs.front() : books::LogEntry{},
        .contacts = {contact_of(cell.at(kHeir)), contact_of(cell.at(kHeir + 1))},
        .asker = cell.cell()};
  }
  void hear(const cell::LogAnswer& answer, std::uint64_t from = kHeir) {
    cell.sent.clear();
    moves.on_message(cell.turn(), cell.at(from), answer);
    cell.store.commit();
  }
  /// What the heir was asked in this period; nullptr if nothing.
  template <typename Wish>
  const Wish* asked(std::uint64_t node = kHeir) {
    requests = cell.told<cell::LogRequest>(node);
    for (const cell::LogRequest& each : requests) {
      EXPECT_EQ(each.cell, kOther);
      EXPECT_EQ(each.asker, cell.cell());
      if (const auto* wish = std::get_if<Wish>(&each.wish)) return wish;
    }
    return nullptr;
  }
  const books::LogEntry& entry() { return cell.books().roster().logs.front(); }

  test::LedCell cell;
  LogMoves moves;
  std::vector<cell::LogRequest> requests;
};

TEST_F(LogMovesTest, ACellThatGoesOnKeepsItsLogs) {
  grow();
  period();
  EXPECT_TRUE(cell.sent.empty());
  EXPECT_FALSE(entry().moved_to);
}

TEST_F(LogMovesTest, TheOtherCellIsAskedThenTheEntryIsFrozenThenTheOtherGetsIt) {
  grow();
  dissolve();
  period();
  EXPECT_NE(asked<cell::AskLog>(), nullptr);
  EXPECT_FALSE(entry().moved_to) << "the other may have ended";
  EXPECT_FALSE(moves.settled(cell.turn()));
  hear(answer(LogStanding::unknown));
  EXPECT_EQ(entry().moved_to, kOther);
  EXPECT_EQ(entry().version, 3u);
  EXPECT_EQ(entry().moved_contacts.size(), 2u);
  period();
  const auto* const accept = asked<books::AcceptLog>();
  ASSERT_NE(accept, nullptr);
  EXPECT_EQ(accept->entry, entry());
  EXPECT_FALSE(moves.settled(cell.turn()));
  hear(answer(LogStanding::unknown));
  EXPECT_FALSE(moves.settled(cell.turn())) << "it had no room, say";
  hear(answer(LogStanding::known));
  EXPECT_TRUE(moves.settled(cell.turn()));
}

// Its home opened the log there once, and went on here: the answer to the question that came before
// the entry was frozen may come late, or twice.
TEST_F(LogMovesTest, AnEntryThatWasLeftBehindThereIsNotThisOne) {
  grow();
  const auto early = answer(LogStanding::known);
  dissolve();
  period();
  hear(early);
  ASSERT_EQ(entry().moved_to, kOther);
  hear(early);
  EXPECT_FALSE(moves.settled(cell.turn()));
  hear(answer(LogStanding::known));
  EXPECT_TRUE(moves.settled(cell.turn()));
}

TEST_F(LogMovesTest, TheReplicasAreToldWhereTheirLogIs) {
  grow();
  dissolve();
  period();
  hear(answer(LogStanding::unknown));
  EXPECT_TRUE(cell.told<cell::LogAnswer>(1).empty()) << "the other cell does not have it yet";
  hear(answer(LogStanding::known));
  for (const std::uint64_t node : {1u, 2u}) {
    const auto told = cell.told<cell::LogAnswer>(node);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told.front().cell, cell.cell());
    EXPECT_EQ(told.front().entry.moved_to, kOther);
    EXPECT_FALSE(told.front().asker);
  }
  period();
  EXPECT_EQ(cell.told<cell::LogAnswer>(2).size(), 1u) << "the word may have been lost";
}

TEST_F(LogMovesTest, ACellThatEndsGetsNoLogs) {
  grow();
  dissolve();
  period();
  auto ending = answer(LogStanding::unknown);
  ending.ending = true;
  hear(ending);
  EXPECT_FALSE(entry().moved_to);
}

TEST_F(LogMovesTest, OnlyTheCellThatWasAskedGetsThem) {
  grow();
  dissolve();
  period();
  auto stranger = answer(LogStanding::unknown);
  stranger.cell = cell_id(0, 0x440);
  hear(stranger);
  EXPECT_FALSE(entry().moved_to);
}

TEST_F(LogMovesTest, TheLeaderOfTheOtherBooksIsFound) {
  grow();
  dissolve();
  period();
  auto elsewhere = answer(LogStanding::elsewhere);
  elsewhere.contacts = {contact_of(cell.at(33))};
  hear(elsewhere);
  EXPECT_FALSE(entry().moved_to);
  period();
  EXPECT_NE(asked<cell::AskLog>(33), nullptr);
  period();
  EXPECT_EQ(asked<cell::AskLog>(33), nullptr) << "it did not answer";
  EXPECT_NE(asked<cell::AskLog>(), nullptr);
}

// No replica beside it may ask for the office. So it opens the log wherever it is then, and no
// entry that its home has left long ago comes to other books.
TEST_F(LogMovesTest, ALogWhoseHomeIsAloneGoesNowhere) {
  dissolve();
  period();
  EXPECT_EQ(entry().moved_to, cell.cell());
  EXPECT_TRUE(entry().moved_contacts.empty());
  EXPECT_TRUE(moves.settled(cell.turn()));
  period();
  EXPECT_EQ(cell.told<cell::LogAnswer>(1).size(), 1u) << "its home is told";
  EXPECT_TRUE(cell.told<cell::LogRequest>(kHeir).empty());
}

TEST_F(LogMovesTest, OtherMessagesAreNotForIt) {
  EXPECT_EQ(moves.on_message(cell.turn(), cell.at(1), cell::Gossip{}), Handling::passed);
  EXPECT_EQ(
      moves.on_message(cell.turn(), cell.at(1), answer(LogStanding::known)), Handling::refused)
      << "this cell does not end";
}

}  // namespace
}  // namespace dunlin::sched
