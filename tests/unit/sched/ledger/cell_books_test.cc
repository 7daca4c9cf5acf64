// SPDX-License-Identifier: MIT
#include "sched/ledger/cell_books.h"

#include <gtest/gtest.h>

#include "sched/ledger/codec_roster.h"
#include "sched/raft/little_endian.h"
#include "tests/support/books_commands.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using dunlin::testing::at_second;
using dunlin::testing::command_of;

constexpr CellId kBookCell{0x77};

books::Outcome change(CellBooks& books, const books::Change& change, Epoch epoch = 1) {
  return CellBooks::outcome_of(books.apply(epoch, CellBooks::encode(at_second(1), change)));
}
books::Outcome command(CellBooks& books, auto action, Epoch epoch = 1, std::int64_t second = 1) {
  return CellBooks::outcome_of(
      books.apply(epoch, CellBooks::encode(command_of(std::move(action), epoch, second))));
}

books::Contact at(std::uint64_t node) {
  return {.node = PeerId{node},
      .address = Address::v4(0x0a000000 + static_cast<std::uint32_t>(node), 7)};
}
books::Admit admit(std::uint64_t node, Tickets tickets = 1000) {
  return {.member = PeerId{node}, .tickets = tickets, .contact = at(node)};
}
books::Classes classes(std::uint64_t version, std::vector<Tickets> shares) {
  books::Classes made{.version = version, .classes = {}};
  for (std::size_t j = 0; j < shares.size(); ++j) {
    made.classes.push_back(
        {.class_id = static_cast<ClassId>(j + 1), .name = "c", .share = shares[j]});
  }
  return made;
}

CellBooks claimed() {
  CellBooks books(kBookCell);
  books.claim(1);
  return books;
}

TEST(CellBooks, MembersAreThoseOfTheLedger) {
  CellBooks books = claimed();
  EXPECT_EQ(change(books, admit(2)), books::Outcome::applied);
  EXPECT_EQ(change(books, admit(1, 500)), books::Outcome::applied);
  EXPECT_EQ(books.tickets(), 1500);
  ASSERT_NE(books.contact(PeerId{2}), nullptr);
  EXPECT_EQ(*books.contact(PeerId{2}), at(2));
  EXPECT_EQ(
      command(books, books::Burn{.node = PeerId{2}, .returned = true}), books::Outcome::applied);
  EXPECT_EQ(books.contact(PeerId{2}), nullptr);
  EXPECT_EQ(books.roster().members.size(), 1u);
}

TEST(CellBooks, AMemberMayMoveAndGrow) {
  CellBooks books = claimed();
  EXPECT_EQ(change(books, admit(1)), books::Outcome::applied);
  auto moved = admit(1, 3000);
  moved.contact = at(9);
  EXPECT_EQ(change(books, moved), books::Outcome::applied);
  EXPECT_EQ(*books.contact(PeerId{1}), at(9));
  EXPECT_EQ(books.tickets(), 3000);
  EXPECT_EQ(books.ledger().state().totals.minted, 4000);
  EXPECT_EQ(books.ledger().state().totals.burned, 1000);
  EXPECT_EQ(change(books, admit(1, -1)), books::Outcome::malformed);
  EXPECT_EQ(change(books, admit(0)), books::Outcome::malformed);
  EXPECT_EQ(books.tickets(), 3000);
}

TEST(CellBooks, OneThatIsLeavingIsNotAdmittedBeforeItsGrantsAreOver) {
  CellBooks books = claimed();
  EXPECT_EQ(change(books, admit(1)), books::Outcome::applied);
  books::Allocate allocate;
  allocate.period = 1;
  allocate.until = at_second(10);
  allocate.release = at_second(12);
  allocate.sheets.push_back({.node = PeerId{1}, .grants = {{.class_id = 1, .tickets = 1000}}});
  EXPECT_EQ(command(books, allocate), books::Outcome::applied);
  EXPECT_EQ(
      command(books, books::Burn{.node = PeerId{1}, .returned = false}), books::Outcome::applied);
  EXPECT_EQ(change(books, admit(1)), books::Outcome::known_node);
  EXPECT_EQ(command(books, books::Tick{}, 1, 12), books::Outcome::applied);
  EXPECT_EQ(books.contact(PeerId{1}), nullptr);
  EXPECT_EQ(change(books, admit(1)), books::Outcome::applied);
}

TEST(CellBooks, TheHighestVersionOfTheClassTableWins) {
  CellBooks books = claimed();
  EXPECT_EQ(change(books, classes(2, {5, 3})), books::Outcome::applied);
  EXPECT_EQ(change(books, classes(2, {1, 1})), books::Outcome::done);
  EXPECT_EQ(change(books, classes(1, {1, 1})), books::Outcome::done);
  EXPECT_EQ(change(books, classes(3, {0, 0})), books::Outcome::malformed);
  EXPECT_EQ(books.roster().classes, classes(2, {5, 3}));
}

TEST(CellBooks, AClassTableMustMakeSense) {
  EXPECT_TRUE(validate(classes(1, {0, 1})));
  EXPECT_EQ(validate(classes(1, {})).error().kind, ErrorKind::usage);
  EXPECT_FALSE(validate(classes(1, {-1, 2})));
  auto twice = classes(1, {1, 1});
  twice.classes[1].class_id = 1;
  EXPECT_FALSE(validate(twice));
}

TEST(CellBooks, CommandsOfAnotherEpochAndNonsenseAreRefused) {
  CellBooks books = claimed();
  const auto bytes = CellBooks::encode(command_of(books::Tick{}, 1));
  books.claim(2);
  EXPECT_EQ(CellBooks::outcome_of(books.apply(2, bytes)), books::Outcome::malformed);
  for (const std::string& nonsense : {std::string(), std::string("\0", 1), std::string("\1abc"),
           std::string("\1\0\0\0\0\0\0\0\0", 9), std::string("\2x")}) {
    EXPECT_EQ(CellBooks::outcome_of(books.apply(2, nonsense)), books::Outcome::malformed);
  }
}

TEST(CellBooks, CloseOnlyWhenNothingIsLeft) {
  CellBooks books = claimed();
  EXPECT_EQ(change(books, books::Close{}), books::Outcome::malformed);
  EXPECT_EQ(change(books, admit(1)), books::Outcome::applied);
  EXPECT_EQ(
      command(books, dunlin::testing::deposits_of(1, {dunlin::testing::saving(1, 1, 10, 100)})),
      books::Outcome::applied);
  EXPECT_EQ(change(books, books::Dissolve{.into = kBookCell}), books::Outcome::malformed);
  EXPECT_EQ(change(books, books::Dissolve{.into = {5}}), books::Outcome::applied);
  EXPECT_EQ(change(books, books::Close{}), books::Outcome::malformed);
  EXPECT_EQ(
      command(books, books::Burn{.node = PeerId{1}, .returned = true}), books::Outcome::applied);
  EXPECT_EQ(change(books, books::Close{}), books::Outcome::malformed);
  EXPECT_EQ(
      command(books, books::HoldSavings{.to = {5}, .number = 1, .class_id = 1, .tickets = 10}),
      books::Outcome::applied);
  EXPECT_EQ(change(books, books::Close{}), books::Outcome::malformed);
  EXPECT_EQ(command(books, books::Settle{.to = {5}, .number = 1}), books::Outcome::applied);
  EXPECT_EQ(change(books, books::Close{}), books::Outcome::applied);
  EXPECT_TRUE(books.roster().closed);
  EXPECT_EQ(change(books, admit(1)), books::Outcome::malformed);
}

books::OpenLog open_log(std::uint64_t log, std::uint64_t node) {
  return {.log = log, .home = {.replica = 1000 + node, .contact = at(node)}};
}

// Replicas of a log ask these books: no eviction takes the entry away.
TEST(CellBooks, LogsOutliveTheirMembers) {
  CellBooks books = claimed();
  change(books, admit(1));
  EXPECT_EQ(change(books, open_log(7, 1)), books::Outcome::applied);
  command(books, books::Burn{.node = PeerId{1}, .returned = true});
  EXPECT_TRUE(books.roster().members.empty());
  EXPECT_EQ(books.roster().logs.size(), 1u);
}

TEST(CellBooks, BooksThatEndGiveTheirLogsAwayBeforeTheyClose) {
  CellBooks books = claimed();
  change(books, open_log(7, 1));
  change(books,
      books::ChangeLogSet{
          .log = 7, .epoch = 1, .version = 1, .set = {open_log(7, 1).home, open_log(7, 2).home}});
  const books::FreezeLog freeze{.log = 7, .to = {5}, .contacts = {at(3)}};
  EXPECT_EQ(change(books, freeze), books::Outcome::malformed) << "they go on";
  EXPECT_EQ(change(books, books::Dissolve{.into = {5}}), books::Outcome::applied);
  EXPECT_EQ(change(books, open_log(8, 1)), books::Outcome::malformed) << "they are about to end";
  EXPECT_EQ(change(books, books::Close{}), books::Outcome::malformed);
  const books::FreezeLog nowhere{.log = 7, .to = kBookCell, .contacts = {}};
  EXPECT_EQ(change(books, nowhere), books::Outcome::malformed) << "a standby may take over";
  EXPECT_EQ(change(books, freeze), books::Outcome::applied);
  EXPECT_EQ(change(books, books::Close{}), books::Outcome::applied);
  EXPECT_EQ(books.roster().logs.front().moved_to, CellId{5}) << "whoever asks is told";
}

TEST(CellBooks, ALogWhoseHomeIsAloneGoesNowhere) {
  CellBooks books = claimed();
  change(books, open_log(7, 1));
  change(books, books::Dissolve{.into = {5}});
  const books::FreezeLog move{.log = 7, .to = {5}, .contacts = {at(3)}};
  EXPECT_EQ(change(books, move), books::Outcome::malformed);
  const books::FreezeLog nowhere{.log = 7, .to = kBookCell, .contacts = {}};
  EXPECT_EQ(change(books, nowhere), books::Outcome::applied);
  EXPECT_EQ(change(books, books::Close{}), books::Outcome::applied);
}

// Nor do those that end refuse it: no others may have it.
TEST(CellBooks, BooksAcceptALogThatWasFrozenForThem) {
  CellBooks books = claimed();
  change(books, books::Dissolve{.into = {5}});
  books::AcceptLog accept{.entry = {.log = 7,
                              .origin = PeerId{1},
                              .epoch = 2,
                              .version = 4,
                              .home = 1001,
                              .set = {open_log(7, 1).home, open_log(7, 2).home},
                              .moved_to = {6},
                              .moved_contacts = {at(3)}}};
  EXPECT_EQ(change(books, accept), books::Outcome::malformed) << "for others";
  accept.entry.moved_to = kBookCell;
  EXPECT_EQ(change(books, accept), books::Outcome::applied);
  EXPECT_EQ(books.roster().logs.front().epoch, 2u);
  CellBooks copy(kBookCell);
  ASSERT_TRUE(copy.restore(books.snapshot()));
  EXPECT_EQ(copy.roster(), books.roster());
}

TEST(CellBooks, ASnapshotWithALogWithoutHomeIsRefused) {
  CellBooks books = claimed();
  change(books, open_log(7, 1));
  const auto bytes = books.snapshot();
  CellBooks copy(kBookCell);
  ASSERT_TRUE(copy.restore(bytes));
  EXPECT_EQ(copy.roster(), books.roster());
  books::Roster roster = books.roster();
  roster.logs.front().home = 5;
  std::string damaged;
  put_number(damaged, std::uint64_t{books.ledger().save().size()});
  damaged += books.ledger().save();
  books::encode(roster, damaged);
  EXPECT_EQ(copy.restore(damaged).error().kind, ErrorKind::corrupt);
}

TEST(CellBooks, SnapshotsAreEqualAndRefuseWhatIsDamaged) {
  CellBooks books = claimed();
  change(books, open_log(7, 1));
  change(books, admit(1));
  change(books, classes(1, {5, 3, 2}));
  change(books, books::SetParent{.parent = {9}, .contacts = {at(4)}});
  CellBooks copy(kBookCell);
  ASSERT_TRUE(copy.restore(books.snapshot()));
  EXPECT_EQ(copy.snapshot(), books.snapshot());
  EXPECT_EQ(copy.roster(), books.roster());
  const auto bytes = books.snapshot();
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    EXPECT_FALSE(copy.restore(std::string_view(bytes).substr(0, cut)));
  }
  EXPECT_EQ(copy.snapshot(), bytes);
  CellBooks other(CellId{kBookCell.value + 1});
  EXPECT_EQ(other.restore(bytes).error().kind, ErrorKind::corrupt);
}

TEST(CellId, TellsItsLevel) {
  EXPECT_EQ(level_of(cell_id(0, ~0ull)), 0);
  EXPECT_EQ(level_of(cell_id(3, ~0ull)), 3);
  EXPECT_TRUE(cell_id(0, 0));
}

}  // namespace
}  // namespace dunlin::sched
