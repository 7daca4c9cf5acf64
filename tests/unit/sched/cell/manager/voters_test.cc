// SPDX-License-Identifier: MIT
#include "sched/cell/manager/voters.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class VotersTest : public ::testing::Test {
 protected:
  VotersTest() {
    cell.admit(test::LedCell::kSelf);
    for (const std::uint64_t number : {7u, 8u}) cell.admit(number);
  }

  static Endpoint self() { return test::CellStage::at(test::LedCell::kSelf); }
  void report(std::uint64_t number, ReplicaId replica = 0) {
    auto report = cell.report(number);
    report.replica = replica;
    report.uptime = 1h;
    report.capacity = 4000;
    members.receive(cell.turn(), cell.at(number), report);
  }
  void all_report() {
    report(test::LedCell::kSelf, cell.group->replica());
    report(7);
    report(8);
    cell.sent.clear();
  }
  void period() {
    cell.now += cell.params.cell.period;
    voters.on_period(cell.turn());
    cell.store.commit();
  }
  std::optional<RaftMember> replica_at(std::uint64_t number) const {
    for (const RaftMember& replica : cell.group->members()) {
      if (replica.node == PeerId{number}) return replica;
    }
    return std::nullopt;
  }

  test::LedCell cell;
  Membership members{cell.params.cell, cell.at(test::LedCell::kSelf), cell.now, cell.books()};
  Voters voters{cell.params.cell, self(), cell.now, members};
};

// Books of two voters need both. So a sole one waits until two others have the log, and then both
// become voters, one right after the other.
TEST_F(VotersTest, TwoMembersAreEnlistedThenSparesThenVoters) {
  all_report();
  period();
  for (const std::uint64_t number : {7u, 8u}) {
    ASSERT_EQ(cell.told<cell::Enlist>(number).size(), 1u);
    EXPECT_EQ(voters.on_message(cell.turn(), cell.at(number),
                  cell::Enlisted{.cell = cell.cell(), .replica = 11 * number}),
        Handling::handled);
    cell.store.commit();
    ASSERT_TRUE(replica_at(number));
    EXPECT_EQ(replica_at(number)->role, MemberRole::spare);
  }
  report(7, 77);
  cell.sent.clear();
  period();
  EXPECT_FALSE(cell.group->changing()) << "the other one may never have the log";
  EXPECT_EQ(voters.deadline(), kNever);
  report(8, 88);
  period();
  // Now it gets the log; a voter it is when it has it.
  EXPECT_TRUE(cell.group->changing());
  EXPECT_LT(voters.deadline(), cell.now + cell.params.cell.period) << "the other one follows soon";
}

// It knows which nodes vote, but not which others could.
TEST_F(VotersTest, ANewManagerWaitsForReports) {
  report(test::LedCell::kSelf, cell.group->replica());
  report(7);
  cell.sent.clear();
  voters.on_period(cell.turn());
  EXPECT_TRUE(cell.sent.empty());
  period();
  period();
  EXPECT_TRUE(cell.sent.empty());  // Two voters bear no more losses than one.
  report(8);
  cell.sent.clear();
  period();
  EXPECT_EQ(cell.told<cell::Enlist>(7).size(), 1u);
}

TEST_F(VotersTest, OnlyAMemberMayHostAReplica) {
  all_report();
  voters.on_message(cell.turn(), cell.at(99), cell::Enlisted{.cell = cell.cell(), .replica = 9});
  EXPECT_FALSE(replica_at(99));
}

TEST_F(VotersTest, AReplicaThatIsNoMemberIsDischargedAtOnce) {
  EXPECT_EQ(
      voters.on_message(cell.turn(), cell.at(9), cell::Resign{.cell = cell.cell(), .replica = 99}),
      Handling::handled);
  const auto discharges = cell.told<cell::Discharge>(9);
  ASSERT_EQ(discharges.size(), 1u);
  EXPECT_EQ(discharges.front().replica, 99u);
  EXPECT_EQ(discharges.front().index, cell.group->commit_index());
}

// Another node could take its place: it waits until that has.
TEST_F(VotersTest, AVoterThatResignsWaitsForASubstitute) {
  all_report();
  voters.on_message(
      cell.turn(), self(), cell::Resign{.cell = cell.cell(), .replica = cell.group->replica()});
  EXPECT_TRUE(cell.told<cell::Discharge>(test::LedCell::kSelf).empty());
  EXPECT_TRUE(cell.told<cell::Excuse>(test::LedCell::kSelf).empty());
}

TEST_F(VotersTest, OtherMessagesArePassedOn) {
  EXPECT_EQ(voters.on_message(cell.turn(), cell.at(7), cell::Verdict{}), Handling::passed);
}

}  // namespace
}  // namespace dunlin::sched
