// SPDX-License-Identifier: MIT
#include "sched/ledger/log_commands.h"

#include <gtest/gtest.h>

namespace dunlin::sched::books {
namespace {

constexpr std::uint64_t kLog = 77;

LogMember member(std::uint64_t node, std::uint64_t replica) {
  return {.replica = replica,
      .contact = {
          .node = PeerId{node}, .address = Address::v4(static_cast<std::uint32_t>(node), 7)}};
}
LogMember member(std::uint64_t node) {
  return member(node, 1000 + node);
}

class LogCommands : public ::testing::Test {
 protected:
  LogCommands() { EXPECT_EQ(books::apply(logs, OpenLog{kLog, member(1)}), Outcome::applied); }

  const LogEntry& entry() { return *find_log(logs, kLog); }
  Outcome set(std::uint32_t epoch, std::uint64_t version, std::vector<LogMember> members) {
    return books::apply(logs, ChangeLogSet{kLog, epoch, version, std::move(members)});
  }
  Outcome take(std::uint32_t epoch, const LogMember& claimant) {
    return books::apply(logs, TakeOverLog{kLog, epoch, claimant});
  }

  std::vector<LogEntry> logs;
};

TEST_F(LogCommands, ALogBeginsWithItsHomeAlone) {
  EXPECT_EQ(entry().origin, PeerId{1});
  EXPECT_EQ(entry().set, std::vector{member(1)});
  EXPECT_EQ(entry_of(entry()).home, member_of(member(1)));
  EXPECT_EQ(find_log(logs, kLog + 1), nullptr);
  EXPECT_TRUE(are_sound(logs));
}

TEST_F(LogCommands, AnOpeningThatComesTwiceIsDone) {
  EXPECT_EQ(books::apply(logs, OpenLog{kLog, member(1)}), Outcome::done);
  EXPECT_EQ(books::apply(logs, OpenLog{kLog, member(2)}), Outcome::stale_version);
  ASSERT_EQ(set(1, 1, {member(1), member(2)}), Outcome::applied);
  EXPECT_EQ(books::apply(logs, OpenLog{kLog, member(1)}), Outcome::stale_version);
  EXPECT_EQ(logs.size(), 1u);
}

TEST_F(LogCommands, TheHomeChangesTheSetOfTheVersionItKnows) {
  EXPECT_EQ(set(1, 1, {member(1), member(2)}), Outcome::applied);
  EXPECT_EQ(entry().version, 2u);
  EXPECT_EQ(set(1, 1, {member(1)}), Outcome::stale_version) << "a late proposal changes nothing";
  EXPECT_EQ(set(2, 2, {member(1)}), Outcome::stale_version);
  EXPECT_EQ(set(1, 2, {member(2)}), Outcome::stale_version) << "the home stays in it";
  EXPECT_EQ(entry().set.size(), 2u);
}

TEST_F(LogCommands, OnlyAMemberOfTheSetTakesOver) {
  EXPECT_EQ(take(1, member(2)), Outcome::stale_version);
  ASSERT_EQ(set(1, 1, {member(1), member(2)}), Outcome::applied);
  EXPECT_EQ(take(1, member(2, 5)), Outcome::stale_version) << "the disk is another one";
  EXPECT_EQ(take(1, member(3, 1002)), Outcome::stale_version) << "the replica is not on that node";
  LogMember moved = member(2);
  moved.contact.address = Address::v4(99, 9);
  EXPECT_EQ(take(1, moved), Outcome::applied);
  EXPECT_EQ(entry().epoch, 2u);
  EXPECT_EQ(entry().version, 3u);
  EXPECT_EQ(entry().set, (std::vector{member(1), moved})) << "as it was, but for the address";
  EXPECT_EQ(entry_of(entry()).home, member_of(moved));
  EXPECT_EQ(take(1, member(1)), Outcome::stale_version);
  EXPECT_EQ(entry().origin, PeerId{1});
}

TEST_F(LogCommands, AnAdministratorMayGiveUpTheSet) {
  ASSERT_EQ(set(1, 1, {member(1), member(2)}), Outcome::applied);
  EXPECT_EQ(books::apply(logs, LoseLog{kLog + 1, 1, member(3)}), Outcome::unknown_log);
  EXPECT_EQ(books::apply(logs, LoseLog{kLog, 2, member(3)}), Outcome::stale_version);
  EXPECT_EQ(books::apply(logs, LoseLog{kLog, 1, member(3, 0)}), Outcome::malformed);
  EXPECT_EQ(books::apply(logs, LoseLog{kLog, 1, member(3)}), Outcome::applied);
  EXPECT_EQ(entry().epoch, 2u);
  EXPECT_EQ(entry().version, 3u);
  EXPECT_EQ(entry().set, std::vector{member(3)}) << "those of the old set may lack what it does";
  EXPECT_EQ(entry().origin, PeerId{1});
  EXPECT_EQ(take(2, member(2)), Outcome::stale_version);
}

TEST_F(LogCommands, AFloorNeverFalls) {
  EXPECT_EQ(books::apply(logs, RaiseLogFloor{kLog, 2, 1000}), Outcome::stale_version);
  EXPECT_EQ(books::apply(logs, RaiseLogFloor{kLog, 1, 1000}), Outcome::applied);
  EXPECT_EQ(books::apply(logs, RaiseLogFloor{kLog, 1, 1000}), Outcome::done);
  EXPECT_EQ(books::apply(logs, RaiseLogFloor{kLog, 1, 999}), Outcome::done);
  EXPECT_EQ(entry().floor, 1000u);
  EXPECT_EQ(entry().version, 1u) << "the set is as it was";
  // The origin's next log begins with it, whichever disk the origin has by then.
  ASSERT_EQ(books::apply(logs, OpenLog{kLog + 1, member(1, 9)}), Outcome::applied);
  EXPECT_EQ(find_log(logs, kLog + 1)->floor, 1000u);
  ASSERT_EQ(books::apply(logs, OpenLog{kLog + 2, member(2)}), Outcome::applied);
  EXPECT_EQ(find_log(logs, kLog + 2)->floor, 0u);
  EXPECT_EQ(books::apply(logs, OpenLog{kLog + 1, member(1, 9)}), Outcome::done);
}

TEST_F(LogCommands, ItsHomeAloneClosesIt) {
  EXPECT_EQ(books::apply(logs, CloseLog{kLog, 2, 1001}), Outcome::stale_version);
  EXPECT_EQ(books::apply(logs, CloseLog{kLog, 1, 1002}), Outcome::stale_version);
  EXPECT_EQ(books::apply(logs, CloseLog{kLog, 1, 1001}), Outcome::applied);
  EXPECT_TRUE(logs.empty());
  EXPECT_EQ(books::apply(logs, CloseLog{kLog, 1, 1001}), Outcome::done);
  EXPECT_EQ(set(1, 1, {member(1)}), Outcome::unknown_log);
  EXPECT_EQ(take(1, member(1)), Outcome::unknown_log);
}

TEST_F(LogCommands, NonsenseIsRefused) {
  EXPECT_EQ(books::apply(logs, OpenLog{0, member(1)}), Outcome::malformed);
  EXPECT_EQ(books::apply(logs, OpenLog{kLog + 1, member(1, 0)}), Outcome::malformed);
  EXPECT_EQ(books::apply(logs, OpenLog{kLog + 1, member(0, 4)}), Outcome::malformed);
  EXPECT_EQ(set(1, 1, {member(1), member(1)}), Outcome::malformed);
  EXPECT_EQ(set(1, 1, {member(1), member(1, 9)}), Outcome::malformed) << "two disks of one node";
  EXPECT_EQ(set(1, 1, {member(1), member(2, 0)}), Outcome::malformed);
  EXPECT_EQ(entry().version, 1u);
}

constexpr CellId kOther{9};

class MovedLog : public LogCommands {
 protected:
  MovedLog() {
    EXPECT_EQ(set(1, 1, {member(1), member(2)}), Outcome::applied);
    EXPECT_EQ(books::apply(logs, freeze), Outcome::applied);
  }
  FreezeLog freeze{kLog, kOther, {member(5).contact}};
  std::vector<LogEntry> others;
};

TEST_F(MovedLog, NothingChangesItAnyMore) {
  const LogEntry frozen = entry();
  EXPECT_EQ(frozen.moved_to, kOther);
  EXPECT_EQ(frozen.version, 3u);
  EXPECT_EQ(set(1, 3, {member(1)}), Outcome::stale_version);
  EXPECT_EQ(take(1, member(2)), Outcome::stale_version);
  EXPECT_EQ(books::apply(logs, LoseLog{kLog, 1, member(3)}), Outcome::stale_version);
  EXPECT_EQ(books::apply(logs, RaiseLogFloor{kLog, 1, 1000}), Outcome::stale_version);
  EXPECT_EQ(books::apply(logs, CloseLog{kLog, 1, 1001}), Outcome::stale_version);
  EXPECT_EQ(books::apply(logs, OpenLog{kLog, member(1), {}, 1, 9}), Outcome::stale_version);
  EXPECT_EQ(entry(), frozen);
  EXPECT_TRUE(are_sound(logs));
}

// A late word may have made it valid where it went first.
TEST_F(MovedLog, ItStaysWhereItWent) {
  EXPECT_EQ(books::apply(logs, freeze), Outcome::done);
  EXPECT_EQ(books::apply(logs, FreezeLog{kLog, {10}, {member(5).contact}}), Outcome::stale_version);
  EXPECT_EQ(entry().moved_to, kOther);
  EXPECT_EQ(books::apply(logs, FreezeLog{kLog + 1, kOther, {}}), Outcome::unknown_log);
  EXPECT_EQ(books::apply(logs, FreezeLog{kLog, {}, {}}), Outcome::malformed);
}

TEST_F(MovedLog, OtherBooksGoOnWithIt) {
  EXPECT_EQ(books::apply(others, AcceptLog{entry()}), Outcome::applied);
  ASSERT_EQ(others.size(), 1u);
  EXPECT_FALSE(others.front().moved_to);
  EXPECT_TRUE(others.front().moved_contacts.empty());
  EXPECT_EQ(others.front().version, 3u);
  EXPECT_EQ(books::apply(others, TakeOverLog{kLog, 1, member(2)}), Outcome::applied);
  EXPECT_EQ(books::apply(others, AcceptLog{entry()}), Outcome::done) << "it came twice";
  EXPECT_EQ(others.front().epoch, 2u);
  EXPECT_TRUE(are_sound(others));
}

TEST_F(MovedLog, BooksThatGaveItAwayTakeItBackOfALaterVersion) {
  ASSERT_EQ(books::apply(others, AcceptLog{entry()}), Outcome::applied);
  LogEntry early = others.front();
  early.moved_to = {8};
  early.moved_contacts = {member(5).contact};
  EXPECT_EQ(books::apply(logs, AcceptLog{early}), Outcome::done) << "no later than this one";
  ASSERT_EQ(books::apply(others, FreezeLog{kLog, {8}, {member(5).contact}}), Outcome::applied);
  EXPECT_EQ(books::apply(logs, AcceptLog{others.front()}), Outcome::applied);
  EXPECT_FALSE(entry().moved_to);
  EXPECT_EQ(entry().version, 4u);
}

TEST_F(MovedLog, AFloorNeverFalls) {
  ASSERT_EQ(books::apply(others, OpenLog{kLog, member(1)}), Outcome::applied);
  ASSERT_EQ(books::apply(others, RaiseLogFloor{kLog, 1, 2000}), Outcome::applied);
  ASSERT_EQ(books::apply(others, AcceptLog{entry()}), Outcome::applied);
  EXPECT_EQ(others.front().floor, 2000u);
  EXPECT_EQ(others.front().set.size(), 2u) << "its home had left an entry behind there";
}

TEST_F(MovedLog, OnlyWhatOtherBooksFrozeIsAccepted) {
  LogEntry live = entry();
  live.moved_to = {};
  live.moved_contacts.clear();
  EXPECT_EQ(books::apply(others, AcceptLog{live}), Outcome::malformed);
  LogEntry homeless = entry();
  homeless.home = 5;
  EXPECT_EQ(books::apply(others, AcceptLog{homeless}), Outcome::malformed);
  LogEntry nowhere = entry();
  nowhere.moved_contacts.clear();
  EXPECT_EQ(books::apply(others, AcceptLog{nowhere}), Outcome::malformed);
  EXPECT_TRUE(others.empty());
}

// A home that is alone takes its log from books to books: those that it left have an entry that is
// of no use, and harms none.
TEST_F(LogCommands, AHomeThatIsAloneOpensItsLogAgain) {
  const OpenLog again{
      .log = kLog, .home = member(1), .origin = PeerId{1}, .epoch = 1, .version = 4};
  EXPECT_EQ(books::apply(logs, again), Outcome::applied);
  EXPECT_EQ(entry().version, 4u);
  EXPECT_EQ(books::apply(logs, again), Outcome::done);
  EXPECT_EQ(books::apply(logs, OpenLog{kLog, member(1)}), Outcome::stale_version) << "a late word";
  OpenLog other = again;
  other.version = 9;
  other.home = member(2);
  EXPECT_EQ(books::apply(logs, other), Outcome::stale_version);
  ASSERT_EQ(set(1, 4, {member(1), member(2)}), Outcome::applied);
  other.home = member(1);
  EXPECT_EQ(books::apply(logs, other), Outcome::stale_version) << "the standby may take over";
}

TEST_F(LogCommands, ALogThatWasTakenOverKeepsItsOrigin) {
  const OpenLog open{
      .log = kLog + 1, .home = member(2), .origin = PeerId{1}, .epoch = 3, .version = 7};
  EXPECT_EQ(books::apply(logs, open), Outcome::applied);
  const LogEntry& opened = *find_log(logs, kLog + 1);
  EXPECT_EQ(opened.origin, PeerId{1});
  EXPECT_EQ(opened.epoch, 3u);
  EXPECT_EQ(opened.version, 7u);
}

TEST_F(LogCommands, ThereIsRoomForSoMany) {
  for (std::uint64_t log = 1; logs.size() < Roster::kLogsMax; ++log) {
    if (log != kLog) {
      ASSERT_EQ(books::apply(logs, OpenLog{log, member(1)}), Outcome::applied);
    }
  }
  EXPECT_EQ(books::apply(logs, OpenLog{1'000'000, member(1)}), Outcome::too_many);
  LogEntry moved = logs.front();
  moved.log = 2'000'000;
  moved.set.push_back(member(2));
  moved.moved_to = {9};
  moved.moved_contacts = {member(5).contact};
  EXPECT_EQ(books::apply(logs, AcceptLog{moved}), Outcome::too_many);
  EXPECT_TRUE(are_sound(logs)) << "they stay in order";
}

TEST_F(LogCommands, EntriesThatNoCommandMadeAreFound) {
  auto twice = logs;
  twice.push_back(logs.front());
  EXPECT_FALSE(are_sound(twice));
  auto homeless = logs;
  homeless.front().home = 5;
  EXPECT_FALSE(are_sound(homeless));
}

}  // namespace
}  // namespace dunlin::sched::books
