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

TEST_F(LogCommands, ThereIsRoomForSoMany) {
  for (std::uint64_t log = 1; logs.size() < Roster::kLogsMax; ++log) {
    if (log != kLog) {
      ASSERT_EQ(books::apply(logs, OpenLog{log, member(1)}), Outcome::applied);
    }
  }
  EXPECT_EQ(books::apply(logs, OpenLog{1'000'000, member(1)}), Outcome::too_many);
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
