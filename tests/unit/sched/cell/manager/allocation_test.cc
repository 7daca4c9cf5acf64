// SPDX-License-Identifier: MIT
#include "sched/cell/manager/allocation.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

class AllocationTest : public ::testing::Test {
 protected:
  explicit AllocationTest(std::uint8_t level = 0) : cell(level) {
    cell.admit(7);
    cell.admit(8);
  }

  /// A member reports that classes 1 and 2 want all they can get.
  void report(std::uint64_t number) {
    auto report = cell.report(number);
    report.period = cell.ledger().node(PeerId{number})->period;
    report.uses = {
        {.class_id = 1, .used = 4000, .need = 4000}, {.class_id = 2, .used = 4000, .need = 4000}};
    members.receive(cell.turn(), cell.at(number), report);
    allocation.on_report(cell.turn(), report);
  }
  void period() {
    cell.sent.clear();
    allocation.on_period(cell.turn());
    commit();
  }
  void commit() {
    cell.store.commit();
    cell.decide([&](const LeaderTurn& turn, const Resolution& outcome) {
      allocation.on_outcome(turn, outcome);
    });
  }
  Tickets granted(std::uint64_t number, ClassId class_id) const {
    for (const auto& grant : cell.ledger().node(PeerId{number})->grants) {
      if (grant.class_id == class_id) return grant.tickets;
    }
    return 0;
  }

  test::LedCell cell;
  Membership members{cell.params.cell, cell.at(test::LedCell::kSelf), cell.now, cell.books()};
  Allocation allocation{cell.params, members};
};

TEST_F(AllocationTest, MembersAreToldWhatTheBooksGrant) {
  cell.set_shares({3, 1});
  report(7);
  report(8);
  period();
  for (const std::uint64_t number : {7u, 8u}) {
    EXPECT_EQ(granted(number, 1), 3000) << number;
    EXPECT_EQ(granted(number, 2), 1000) << number;
    const auto leases = cell.told<cell::Lease>(number);
    ASSERT_EQ(leases.size(), 1u) << number;
    EXPECT_EQ(leases.front().period, 1u);
    EXPECT_EQ(leases.front().grants.size(), 2u);
    EXPECT_EQ(leases.front().grant_life, cell.params.cell.grant_life);
  }
}

// One entry of the log has sheets for 1,024 members.
TEST_F(AllocationTest, ALargeCellIsAllocatedByMoreThanOneEntry) {
  constexpr std::uint64_t kMore = 1100;
  cell.params.cell.cell_size = 2048;
  for (std::uint64_t i = 1; i <= kMore; ++i) cell.admit(1000 + i);
  cell.set_shares({3, 1});
  report(7);
  for (std::uint64_t i = 1; i <= kMore; ++i) report(1000 + i);
  period();
  commit();  // The second entry.
  for (const std::uint64_t number : {std::uint64_t{7}, std::uint64_t{1001}, 1000 + kMore}) {
    EXPECT_EQ(granted(number, 1), 3000) << number;
    EXPECT_EQ(cell.told<cell::Lease>(number).size(), 1u) << number;
  }
  EXPECT_EQ(granted(8, 1), 0) << "it did not report";
  EXPECT_EQ(cell.ledger().state().period, 2u);
  EXPECT_EQ(cell.ledger().node(PeerId{1000 + kMore})->period, 2u);
  report(1000 + kMore);
  period();
  EXPECT_EQ(cell.ledger().node(PeerId{1000 + kMore})->period, 3u);
}

TEST_F(AllocationTest, OnlyMembersThatReportedUnderTheirGrantsCount) {
  cell.set_shares({3, 1});
  report(7);
  period();
  EXPECT_EQ(granted(7, 1), 3000);
  EXPECT_EQ(granted(8, 1), 0);
  // A report of what was used before these grants says nothing of them.
  auto old = cell.report(7);
  old.period = 0;
  members.receive(cell.turn(), cell.at(7), old);
  allocation.on_report(cell.turn(), old);
  report(8);
  period();
  EXPECT_EQ(cell.ledger().node(PeerId{7})->period, 1u);
  EXPECT_EQ(cell.ledger().node(PeerId{8})->period, 2u);
}

// The bank keeps what a class will shortly need at a node for it there, and not in its account.
TEST_F(AllocationTest, WhatAMemberNeedsSoonIsKeptThere) {
  cell.params.bank.local_reserve_share = 0.5;
  cell.set_shares({3, 1});
  const auto idle = [&](std::uint64_t number, Tickets soon) {
    auto report = cell.report(number);
    report.period = cell.ledger().node(PeerId{number})->period;
    report.uses = {{.class_id = 1, .used = 0, .need = 0, .soon = soon}};
    members.receive(cell.turn(), cell.at(number), report);
    allocation.on_report(cell.turn(), report);
  };
  idle(7, 1000);
  idle(8, 0);
  period();
  EXPECT_EQ(cell.ledger().local_reserve(1, PeerId{7}), 500);
  EXPECT_EQ(cell.ledger().local_reserve(1, PeerId{8}), 0);
  EXPECT_EQ(cell.ledger().balance(1), 2 * 3000 - 500);
}

TEST_F(AllocationTest, WithoutClassesOnlyTimePasses) {
  report(7);
  cell.now += 5s;
  period();
  EXPECT_EQ(cell.ledger().state().now, Time{} + 5s);
  EXPECT_EQ(cell.ledger().state().period, 0u);
}

TEST_F(AllocationTest, ACellThatEndsAllocatesNothing) {
  cell.set_shares({1, 1});
  cell.apply_change(books::Dissolve{.into = {}});
  report(7);
  period();
  EXPECT_EQ(cell.ledger().state().period, 0u);
}

TEST_F(AllocationTest, TheParentsGrantsAreTheWeights) {
  cell.params.cell.sharing = SharingMode::cluster_reserves;
  cell.set_shares({3, 1});
  const std::vector<cell::Grant> weights = {
      {.class_id = 1, .tickets = 1}, {.class_id = 2, .tickets = 1}};
  allocation.set_weights(weights, cell.now + 5s);
  report(7);
  report(8);
  period();
  EXPECT_EQ(granted(7, 1) + granted(8, 1), 4000);
  EXPECT_EQ(granted(7, 2) + granted(8, 2), 4000);
}

// A parent that is lost says nothing any more: the shares of classes hold again.
TEST_F(AllocationTest, TheParentsGrantsLapseWithTheirTerm) {
  cell.params.cell.sharing = SharingMode::cluster_reserves;
  cell.set_shares({3, 1});
  const std::vector<cell::Grant> weights = {
      {.class_id = 1, .tickets = 1}, {.class_id = 2, .tickets = 1}};
  allocation.set_weights(weights, cell.now + 5s);
  cell.now += 5s;
  report(7);
  report(8);
  period();
  EXPECT_EQ(granted(7, 1) + granted(8, 1), 6000);
  EXPECT_EQ(granted(7, 2) + granted(8, 2), 2000);
}

class AllocationAboveTest : public AllocationTest {
 protected:
  AllocationAboveTest() : AllocationTest(1) {}
};

// Between cells the bank moves savings, not capacity.
TEST_F(AllocationAboveTest, ByTheBankCellsOfCellsAllocateNothing) {
  cell.set_shares({3, 1});
  report(7);
  period();
  EXPECT_EQ(cell.ledger().state().period, 0u);
}

TEST_F(AllocationAboveTest, ByClusterReservesEveryLevelAllocates) {
  cell.params.cell.sharing = SharingMode::cluster_reserves;
  cell.set_shares({3, 1});
  report(7);
  report(8);
  period();
  EXPECT_EQ(granted(7, 1) + granted(8, 1), 6000);
}

}  // namespace
}  // namespace dunlin::sched
