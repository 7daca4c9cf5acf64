// SPDX-License-Identifier: MIT
#include "sched/cell/manager/transfer_orders.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

const CellId kRich = cell_id(0, 0x330);
const CellId kPoor = cell_id(0, 0x440);
const CellId kAbove = cell_id(2, 0x110);
const CellId kOrdersFar = cell_id(0, 0x990);

class TransferOrdersTest : public ::testing::Test {
 protected:
  explicit TransferOrdersTest(std::uint8_t level = 1) : cell(level) {
    cell.set_shares({1});
    cell.admit(kRich, 100'000);
    cell.admit(kPoor, 100'000);
    cell.apply_change(books::SetParent{.parent = kAbove, .contacts = {contact_of(cell.at(9))}});
  }

  void report(CellId member, std::uint64_t from, Tickets used, Tickets balance) {
    auto report = cell.report(member, 100'000);
    report.uses = {{.class_id = 1, .used = used, .need = 0, .balance = balance}};
    members.receive(cell.turn(), cell.at(from), report);
    orders.on_report(cell.turn(), report);
  }
  /// The parent's order to send savings to kOrdersFar, which is managed at node 20.
  cell::Order order(std::uint64_t number, Tickets tickets) const {
    return {.cell = cell.cell(),
        .parent = kAbove,
        .epoch = 3,
        .number = number,
        .to = kOrdersFar,
        .contact = contact_of(cell.at(20)),
        .class_id = 1,
        .tickets = tickets};
  }
  Handling hear(std::uint64_t from, const cell::Message& message) {
    return orders.on_message(cell.turn(), cell.at(from), message);
  }
  void both_report() {
    report(kRich, 7, 1000, 90'000);
    report(kPoor, 8, 100'000, 0);
  }

  test::LedCell cell;
  Membership members{cell.params.cell, cell.at(test::LedCell::kSelf), cell.now, cell.books()};
  TransferDesk desk;
  TransferOrders orders{cell.params, members, desk};
};

TEST_F(TransferOrdersTest, TheRichCellSendsToTheOneThatNeeds) {
  both_report();
  orders.on_period(cell.turn());
  const auto told = cell.told<cell::Order>(7);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().cell, kRich);
  EXPECT_EQ(told.front().to, kPoor);
  EXPECT_EQ(told.front().contact.node, PeerId{8});
  EXPECT_EQ(told.front().parent, cell.cell());
  EXPECT_EQ(told.front().epoch, *cell.group->epoch());
  EXPECT_GT(told.front().tickets, 0);
}

TEST_F(TransferOrdersTest, AReportIsUsedOnce) {
  both_report();
  orders.on_period(cell.turn());
  cell.sent.clear();
  orders.on_period(cell.turn());
  EXPECT_TRUE(cell.told<cell::Order>(7).empty());
  both_report();
  orders.on_period(cell.turn());
  const auto told = cell.told<cell::Order>(7);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told.front().number, 2u);
}

TEST_F(TransferOrdersTest, TimePassesInTheBooks) {
  cell.now += 5s;
  orders.on_period(cell.turn());
  EXPECT_EQ(cell.ledger().state().now, Time{} + 5s);
}

TEST_F(TransferOrdersTest, ByClusterReservesNothingIsOrdered) {
  cell.params.cell.sharing = SharingMode::cluster_reserves;
  both_report();
  cell.now += 5s;
  orders.on_period(cell.turn());
  EXPECT_TRUE(cell.told<cell::Order>(7).empty());
  EXPECT_EQ(cell.ledger().state().now, Time{});
}

// The parent's members are cells of cells, which have no savings of their own.
TEST_F(TransferOrdersTest, AnOrderOfTheParentGoesToTheRichestThatCanSpare) {
  report(kRich, 7, 1000, 90'000);
  report(kPoor, 8, 50'000, 20'000);
  EXPECT_EQ(hear(9, order(1, 5000)), Handling::handled);
  auto told = cell.told<cell::Order>(7);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].cell, kRich);
  EXPECT_EQ(told[0].parent, cell.cell());
  EXPECT_EQ(told[0].to, kOrdersFar);
  EXPECT_EQ(told[0].contact.node, PeerId{20});
  EXPECT_EQ(told[0].tickets, 5000);
  // The richest cannot give what it was ordered to give before; the next one gives the rest.
  hear(9, order(2, 100'000));
  told = cell.told<cell::Order>(7);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[1].tickets, 85'000);
  EXPECT_GT(told[1].number, told[0].number);
  const auto second = cell.told<cell::Order>(8);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].tickets, 15'000);
  EXPECT_EQ(second[0].to, kOrdersFar);
  // A member that needs its savings itself gives none.
  report(kRich, 7, 99'000, 90'000);
  report(kPoor, 8, 99'000, 90'000);
  cell.sent.clear();
  hear(9, order(3, 100));
  EXPECT_TRUE(cell.sent.empty());
}

TEST_F(TransferOrdersTest, OnlyTheParentOrders) {
  both_report();
  EXPECT_EQ(hear(66, order(1, 5000)), Handling::refused);
  auto other = order(1, 5000);
  other.parent = cell_id(2, 0x120);
  EXPECT_EQ(hear(9, other), Handling::refused);
  EXPECT_TRUE(cell.sent.size() <= 2) << "the leases alone";
  EXPECT_EQ(hear(7, cell.report(7)), Handling::passed);
}

// Orders of one period overtake each other on their way, and may be doubled there.
TEST_F(TransferOrdersTest, EachOrderCountsOnceInWhateverOrderTheyCome) {
  both_report();
  for (const std::uint64_t number : {2u, 4u, 1u, 2u, 3u, 1u}) hear(9, order(number, 1000));
  EXPECT_EQ(cell.told<cell::Order>(7).size(), 4u);
  hear(9, order(100, 1000));
  hear(9, order(100 - SeenOrders::kWindow, 1000));
  EXPECT_EQ(cell.told<cell::Order>(7).size(), 5u) << "one too old to tell";
  auto next = order(1, 1000);
  next.epoch = 4;
  hear(9, next);
  hear(9, order(101, 1000));
  EXPECT_EQ(cell.told<cell::Order>(7).size(), 6u) << "an epoch that is over";
}

TEST_F(TransferOrdersTest, TheNeediestMemberIsNamed) {
  EXPECT_TRUE(orders.neediest(cell.books()).empty());
  both_report();
  const auto neediest = orders.neediest(cell.books());
  ASSERT_EQ(neediest.size(), 1u);
  EXPECT_EQ(neediest[0].class_id, 1u);
  EXPECT_EQ(neediest[0].cell, kPoor);
  EXPECT_EQ(neediest[0].contact, contact_of(cell.at(8)));
}

class TransferOrdersAboveTest : public TransferOrdersTest {
 protected:
  TransferOrdersAboveTest() : TransferOrdersTest(2) {}
};

// Savings lie in cells of nodes: two levels up an order names the neediest of them.
TEST_F(TransferOrdersAboveTest, TheNeediestCellOfNodesIsAddressed) {
  both_report();
  orders.on_period(cell.turn());
  EXPECT_TRUE(cell.told<cell::Order>(7).empty()) << "not told which one needs them";
  report(kRich, 7, 1000, 90'000);
  auto poor = cell.report(kPoor, 100'000);
  poor.uses = {{.class_id = 1, .used = 100'000}};
  poor.neediest = {{.class_id = 1, .cell = kOrdersFar, .contact = contact_of(cell.at(20))}};
  members.receive(cell.turn(), cell.at(8), poor);
  orders.on_report(cell.turn(), poor);
  EXPECT_EQ(orders.neediest(cell.books()), poor.neediest) << "it is passed on upwards";
  orders.on_period(cell.turn());
  const auto told = cell.told<cell::Order>(7);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].cell, kRich);
  EXPECT_EQ(told[0].to, kOrdersFar);
  EXPECT_EQ(told[0].contact, contact_of(cell.at(20)));
}

class TransferOrdersOfNodesTest : public TransferOrdersTest {
 protected:
  TransferOrdersOfNodesTest() : TransferOrdersTest(0) {}
};

TEST_F(TransferOrdersOfNodesTest, ACellOfNodesSendsItsOwnSavings) {
  cell.apply(books::Allocate{.period = 1,
      .until = Time{} + 10s,
      .release = Time{} + 12s,
      .sheets = {},
      .deposits = {{.node = kRich, .class_id = 1, .tickets = 1000, .expires = Time{} + 1h}},
      .draws = {}});
  hear(9, order(1, 300));
  hear(9, order(2, 5000));
  hear(9, order(1, 300));
  for (int i = 0; i < 3; ++i) {
    cell.store.commit();
    cell.decide(
        [&](const LeaderTurn& turn, const Resolution& outcome) { desk.on_outcome(turn, outcome); });
  }
  desk.on_period(cell.turn());
  const auto offers = cell.told<cell::SavingsOffer>(20);
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0].tickets, 300);
  EXPECT_EQ(offers[1].tickets, 700);
  EXPECT_TRUE(orders.neediest(cell.books()).empty());
}

TEST_F(TransferOrdersOfNodesTest, ACellOfNodesOrdersNothing) {
  both_report();
  orders.on_period(cell.turn());
  EXPECT_TRUE(cell.told<cell::Order>(7).empty());
}

}  // namespace
}  // namespace dunlin::sched
