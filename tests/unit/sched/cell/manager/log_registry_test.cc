// SPDX-License-Identifier: MIT
#include "sched/cell/manager/log_registry.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using cell::LogStanding;

constexpr std::uint64_t kLog = 77;

class LogRegistryTest : public ::testing::Test {
 protected:
  static books::LogMember member(std::uint64_t node) {
    return {.replica = 1000 + node, .contact = contact_of(test::LedCell::at(node))};
  }
  Handling ask(std::uint64_t from, cell::LogWish wish, bool handed_over = false) {
    cell.sent.clear();
    const auto handling = registry.on_message(
        cell.turn(), cell.at(from), cell::LogRequest{cell.cell(), std::move(wish), 0, handed_over});
    cell.store.commit();
    cell.decide([&](const LeaderTurn& turn, const Resolution& outcome) {
      registry.on_outcome(turn, outcome);
    });
    return handling;
  }
  /// The only answer to `node`; an empty one if there is none.
  cell::LogAnswer answer(std::uint64_t node) const {
    const auto answers = cell.told<cell::LogAnswer>(node);
    return answers.size() == 1 ? answers.front() : cell::LogAnswer{};
  }
  /// Node 1 has a log with a standby on node 2.
  void open_and_grow() {
    ask(1, books::OpenLog{kLog, member(1)});
    ask(1, books::ChangeLogSet{kLog, 1, 1, {member(1), member(2)}});
    ASSERT_EQ(answer(1).entry.set.size(), 2u);
  }
  void report(std::uint64_t node) {
    members.receive(cell.turn(), cell.at(node), cell.report(node));
  }

  test::LedCell cell;
  Membership members{cell.params.cell, cell.at(test::LedCell::kSelf), cell.now, cell.books()};
  LogRegistry registry{cell.params.cell, members};
};

TEST_F(LogRegistryTest, EachCommandIsAnsweredWithTheEntryAsCommitted) {
  EXPECT_EQ(ask(1, books::OpenLog{kLog, member(1)}), Handling::handled);
  EXPECT_EQ(answer(1).standing, LogStanding::known);
  EXPECT_EQ(answer(1).cell, cell.cell());
  EXPECT_EQ(answer(1).entry.version, 1u);
  EXPECT_EQ(answer(1).contacts.front().node, PeerId{test::LedCell::kSelf});
  ask(1, books::ChangeLogSet{kLog, 1, 1, {member(1), member(2)}});
  EXPECT_EQ(answer(1).entry.version, 2u);
  ask(1, books::ChangeLogSet{kLog, 1, 1, {member(1)}});
  EXPECT_EQ(answer(1).entry.set.size(), 2u) << "not applied, and yet answered";
  ask(1, books::CloseLog{kLog, 1, member(1).replica});
  EXPECT_EQ(answer(1).standing, LogStanding::unknown);
}

// Whoever hears it forgets its copy, and a manager may have lost its office without knowing.
TEST_F(LogRegistryTest, OnlyTheVotersSayThatALogIsUnknown) {
  const auto before = cell.group->last_index();
  ask(9, cell::AskLog{kLog});
  EXPECT_EQ(answer(9).standing, LogStanding::unknown);
  EXPECT_GT(cell.group->last_index(), before);
}

// A home must know which machines it could lose: see sched/logs/shelter.h.
TEST_F(LogRegistryTest, AnAnswerTellsTheVotersThatAreHeardAndTheirMachines) {
  ask(1, books::OpenLog{kLog, member(1)});
  EXPECT_TRUE(answer(1).tells_keepers);
  EXPECT_TRUE(answer(1).keepers.empty()) << "nothing was heard of the manager's own machine";
  auto own = cell.report(test::LedCell::kSelf);
  own.machine = 5;
  members.receive(cell.turn(), cell.at(test::LedCell::kSelf), own);
  report(9);  // No voter.
  ask(1, cell::AskLog{kLog});
  ASSERT_EQ(answer(1).keepers.size(), 1u);
  EXPECT_EQ(answer(1).keepers[0].node, PeerId{test::LedCell::kSelf});
  EXPECT_EQ(answer(1).keepers[0].machine, 5u);
}

TEST_F(LogRegistryTest, AQuestionChangesNothing) {
  open_and_grow();
  const auto index = cell.group->last_index();
  ask(9, cell::AskLog{kLog});
  EXPECT_EQ(answer(9).entry.home, member(1).replica);
  EXPECT_EQ(cell.group->last_index(), index);
}

// What is only asked costs no entry; but a manager that is cut off must not tell a home on its own
// node that it is heard.
TEST_F(LogRegistryTest, TheVotersHearAQuestionOfAHomeAtTheManagersOwnNode) {
  constexpr std::uint64_t kSelf = test::LedCell::kSelf;
  open_and_grow();
  const auto costs_an_entry = [&](std::uint64_t node) {
    const auto before = cell.group->applied_index();
    ask(node, cell::AskLog{kLog});
    EXPECT_EQ(answer(node).standing, LogStanding::known);
    return cell.group->applied_index() > before;
  };
  EXPECT_FALSE(costs_an_entry(1));
  EXPECT_FALSE(costs_an_entry(kSelf)) << "another node is the home";
  ask(1, books::ChangeLogSet{kLog, 1, 2, {member(1), member(kSelf)}});
  ask(kSelf, books::TakeOverLog{kLog, 1, member(kSelf)}, true);
  ASSERT_EQ(answer(kSelf).entry.home, member(kSelf).replica);
  EXPECT_TRUE(costs_an_entry(kSelf));
  EXPECT_EQ(answer(kSelf).entry.version, 4u);
}

TEST_F(LogRegistryTest, ANodeSpeaksForItselfAlone) {
  EXPECT_EQ(ask(2, books::OpenLog{kLog, member(1)}), Handling::refused);
  open_and_grow();
  EXPECT_EQ(ask(2, books::ChangeLogSet{kLog, 1, 2, {member(1)}}), Handling::refused);
  EXPECT_EQ(ask(3, books::TakeOverLog{kLog, 1, member(2)}), Handling::refused);
  EXPECT_EQ(ask(2, books::CloseLog{kLog, 1, member(1).replica}), Handling::refused);
  EXPECT_TRUE(cell.sent.empty());
  EXPECT_EQ(cell.books().roster().logs.front().version, 2u);
}

TEST_F(LogRegistryTest, AHomeThatHandsOverIsNotWaitedFor) {
  open_and_grow();
  report(1);
  EXPECT_EQ(ask(2, books::TakeOverLog{kLog, 1, member(2)}, true), Handling::handled);
  EXPECT_EQ(answer(2).entry.epoch, 2u);
}

TEST_F(LogRegistryTest, AnAnswerSaysHowManyVotersThereAre) {
  ask(1, books::OpenLog{kLog, member(1)});
  EXPECT_EQ(answer(1).voters, 1u);
}

TEST_F(LogRegistryTest, ANodeGivesUpASetForItselfAlone) {
  open_and_grow();
  EXPECT_EQ(ask(2, books::LoseLog{kLog, 1, member(3)}), Handling::refused);
  EXPECT_EQ(ask(3, books::LoseLog{kLog, 1, member(3)}), Handling::handled);
  EXPECT_EQ(answer(3).entry.home, member(3).replica);
  EXPECT_EQ(answer(3).entry.set.size(), 1u);
  EXPECT_EQ(ask(1, books::RaiseLogFloor{kLog, 2, 1000}), Handling::refused) << "no home any more";
  EXPECT_EQ(ask(3, books::RaiseLogFloor{kLog, 2, 1000}), Handling::handled);
  EXPECT_EQ(answer(3).entry.floor, 1000u);
}

// A manager that hears the home knows that only the way to the standby is cut.
TEST_F(LogRegistryTest, ATakeoverWaitsUntilTheHomeIsMissedHere) {
  open_and_grow();
  report(1);
  EXPECT_EQ(ask(2, books::TakeOverLog{kLog, 1, member(2)}), Handling::handled);
  EXPECT_TRUE(cell.sent.empty()) << "it asks again";
  EXPECT_EQ(cell.books().roster().logs.front().epoch, 1u);
  cell.now += 2 * cell.params.cell.period + 1ms;
  ask(2, books::TakeOverLog{kLog, 1, member(2)});
  EXPECT_EQ(answer(2).entry.epoch, 2u);
  EXPECT_EQ(answer(2).entry.home, member(2).replica);
}

TEST_F(LogRegistryTest, ANewManagerTakesTheStandbysWord) {
  open_and_grow();
  ask(2, books::TakeOverLog{kLog, 1, member(2)});
  EXPECT_EQ(answer(2).entry.epoch, 2u);
  // The deposed home comes back: it is told at once, and nothing is put to the voters.
  const auto index = cell.group->last_index();
  ask(1, books::ChangeLogSet{kLog, 1, 2, {member(1)}});
  EXPECT_EQ(answer(1).entry.epoch, 2u);
  EXPECT_EQ(cell.group->last_index(), index);
}

// Its books froze it for these. Its own manager hears what became of that.
TEST_F(LogRegistryTest, TheManagerOfACellThatEndsBringsItsLogs) {
  const CellId other = cell_id(0, 0x330);
  const auto bring = [&](CellId asker) {
    books::LogEntry moved{.log = kLog,
        .origin = PeerId{1},
        .epoch = 2,
        .version = 4,
        .home = member(1).replica,
        .set = {member(1), member(2)},
        .moved_to = cell.cell(),
        .moved_contacts = {member(3).contact}};
    cell.sent.clear();
    const auto handling = registry.on_message(cell.turn(), cell.at(40),
        cell::LogRequest{
            .cell = cell.cell(), .wish = books::AcceptLog{moved}, .request = 3, .asker = asker});
    cell.store.commit();
    cell.decide([&](const LeaderTurn& turn, const Resolution& outcome) {
      registry.on_outcome(turn, outcome);
    });
    return handling;
  };
  EXPECT_EQ(bring({}), Handling::refused) << "no replica brings one";
  EXPECT_EQ(bring(other), Handling::handled);
  EXPECT_EQ(answer(40).standing, LogStanding::known);
  EXPECT_EQ(answer(40).asker, other);
  EXPECT_FALSE(answer(40).entry.moved_to);
  EXPECT_FALSE(answer(40).ending);
  const auto index = cell.group->last_index();
  EXPECT_EQ(bring(other), Handling::handled);
  EXPECT_EQ(answer(40).standing, LogStanding::known);
  EXPECT_EQ(cell.group->last_index(), index) << "these have it";
}

TEST_F(LogRegistryTest, WhoeverAsksForALogThatMovedIsToldWhere) {
  open_and_grow();
  cell.apply_change(books::Dissolve{.into = cell_id(0, 0x330)});
  cell.apply_change(
      books::FreezeLog{.log = kLog, .to = cell_id(0, 0x330), .contacts = {member(3).contact}});
  const auto index = cell.group->last_index();
  ask(2, books::TakeOverLog{kLog, 1, member(2)}, true);
  EXPECT_EQ(answer(2).entry.epoch, 1u);
  EXPECT_EQ(answer(2).entry.moved_to, cell_id(0, 0x330));
  EXPECT_TRUE(answer(2).ending);
  ask(1, books::ChangeLogSet{kLog, 1, 3, {member(1)}});
  EXPECT_EQ(answer(1).entry.moved_to, cell_id(0, 0x330));
  EXPECT_EQ(cell.group->last_index(), index);
}

TEST_F(LogRegistryTest, OtherMessagesAreNotForIt) {
  EXPECT_EQ(registry.on_message(cell.turn(), cell.at(1), cell::Gossip{}), Handling::passed);
}

}  // namespace
}  // namespace dunlin::sched
