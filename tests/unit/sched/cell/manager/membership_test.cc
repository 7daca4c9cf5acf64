// SPDX-License-Identifier: MIT
#include "sched/cell/manager/membership.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;
using cell::Standing;

class MembershipTest : public ::testing::Test {
 protected:
  MembershipTest() {
    cell.params.cell.cell_size = 2;
    members.emplace(cell.params.cell, cell.at(test::LedCell::kSelf), cell.now, cell.books());
  }

  bool report(const cell::MemberReport& report) {
    return members->receive(cell.turn(), cell.at(report.member.value), report);
  }
  void decide() {
    cell.decide([&](const LeaderTurn& turn, const Resolution& outcome) {
      members->on_outcome(turn, outcome);
    });
  }
  /// A node that asks to be a member, and becomes one.
  void join(std::uint64_t number) {
    report(cell.report(number));
    decide();
    report(cell.report(number));
    cell.sent.clear();
  }
  cell::Lease lease_of(std::uint64_t number) const {
    const auto leases = cell.told<cell::Lease>(number);
    return leases.empty() ? cell::Lease{} : leases.back();
  }

  test::LedCell cell;
  std::optional<Membership> members;
};

TEST_F(MembershipTest, ANewcomerBecomesAMember) {
  EXPECT_TRUE(report(cell.report(7)));
  decide();
  EXPECT_EQ(lease_of(7).standing, Standing::member);
  EXPECT_EQ(lease_of(7).epoch, *cell.group->epoch());
  EXPECT_EQ(lease_of(7).contacts.front().node, PeerId{test::LedCell::kSelf});
  ASSERT_NE(cell.ledger().node(PeerId{7}), nullptr);
  EXPECT_EQ(cell.ledger().node(PeerId{7})->tickets, 4000);
}

TEST_F(MembershipTest, AFullCellHasNoRoom) {
  EXPECT_TRUE(members->has_room(cell.books()));
  join(7);
  join(8);
  EXPECT_FALSE(members->has_room(cell.books()));
  EXPECT_TRUE(report(cell.report(9)));
  EXPECT_EQ(lease_of(9).standing, Standing::full);
  EXPECT_EQ(cell.ledger().node(PeerId{9}), nullptr);
}

// A manager that is asked by thousands remembers no more of them than it could use.
TEST_F(MembershipTest, NewcomersAreRememberedUpToABound) {
  join(7);
  join(8);
  for (std::uint64_t i = 0; i < 100; ++i) report(cell.report(100 + i));
  EXPECT_EQ(members->all().size(), 2u * 2 + 8);
  EXPECT_EQ(lease_of(199).standing, Standing::full);
}

TEST_F(MembershipTest, AnOlderReportChangesNothing) {
  const auto old = cell.report(7);
  join(7);
  EXPECT_FALSE(report(old));
  EXPECT_TRUE(cell.sent.empty());
  // A cell with a new manager speaks from another node, and counts anew.
  EXPECT_TRUE(members->receive(cell.turn(), cell.at(70), old));
}

TEST_F(MembershipTest, AMemberThatHasOtherTicketsIsAdmittedAnew) {
  join(7);
  report(cell.report(7, 9000));
  EXPECT_EQ(cell.ledger().node(PeerId{7})->tickets, 9000);
}

TEST_F(MembershipTest, AMemberThatLeavesIsGone) {
  join(7);
  auto leaving = cell.report(7);
  leaving.leaving = true;
  report(leaving);
  EXPECT_EQ(cell.ledger().node(PeerId{7}), nullptr);
  EXPECT_EQ(lease_of(7).standing, Standing::gone);
}

TEST_F(MembershipTest, AMemberSilentForALeaseIsEvicted) {
  join(7);
  join(8);
  cell.now += cell.params.cell.lease - 1s;
  report(cell.report(8));
  members->evict_silent(cell.turn());
  EXPECT_NE(cell.ledger().node(PeerId{7}), nullptr);
  cell.now += 1s;
  members->evict_silent(cell.turn());
  EXPECT_EQ(cell.ledger().node(PeerId{7}), nullptr);
  EXPECT_NE(cell.ledger().node(PeerId{8}), nullptr);
}

// It may have reported to the manager before: it gets the time to find the new one.
TEST_F(MembershipTest, ANewManagerGivesEveryMemberAWholeLease) {
  cell.admit(7);
  members.emplace(cell.params.cell, cell.at(test::LedCell::kSelf), cell.now, cell.books());
  cell.now += cell.params.cell.lease - 1s;
  members->evict_silent(cell.turn());
  EXPECT_NE(cell.ledger().node(PeerId{7}), nullptr);
  EXPECT_FALSE(members->all_reported(cell.books()));
  report(cell.report(7));
  EXPECT_TRUE(members->all_reported(cell.books()));
}

TEST_F(MembershipTest, OnlyAnotherNodeCanSucceed) {
  EXPECT_FALSE(members->has_successor(cell.books(), cell.now));
  report(cell.report(test::LedCell::kSelf));
  EXPECT_FALSE(members->has_successor(cell.books(), cell.now));
  join(7);
  EXPECT_TRUE(members->has_successor(cell.books(), cell.now));
  auto draining = cell.report(7);
  draining.draining = true;
  report(draining);
  EXPECT_FALSE(members->has_successor(cell.books(), cell.now));
}

TEST_F(MembershipTest, UsesAddUpByClass) {
  cell.set_shares({1, 1});
  for (const std::uint64_t number : {7u, 8u}) {
    auto with_uses = cell.report(number);
    with_uses.uses = {{.class_id = 1, .used = 100, .need = 20}, {.class_id = 2, .used = -5}};
    report(with_uses);
    decide();
    with_uses.sequence = ++cell.sequence;
    report(with_uses);
  }
  const auto uses = members->uses(cell.books());
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].used, 200);
  EXPECT_EQ(uses[0].need, 40);
  EXPECT_EQ(uses[1].used, 0);
}

TEST_F(MembershipTest, AReportIsFreshUntilItIsUsed) {
  FreshReports fresh;
  join(7);
  EXPECT_TRUE(fresh.reporting(cell.books(), *members).empty());
  fresh.note(PeerId{7});
  fresh.note(PeerId{99});  // It is no member.
  EXPECT_EQ(fresh.reporting(cell.books(), *members), (std::vector<MemberId>{PeerId{7}}));
  fresh.use(PeerId{7});
  EXPECT_TRUE(fresh.reporting(cell.books(), *members).empty());
}

}  // namespace
}  // namespace dunlin::sched
