// SPDX-License-Identifier: MIT
#include "sched/cell/manager/transfer_desk.h"

#include <gtest/gtest.h>

#include "tests/support/led_cell.h"

namespace dunlin::sched {
namespace {

using namespace std::chrono_literals;

const CellId kDeskOther = cell_id(0, 0x330);
const CellId kThird = cell_id(0, 0x440);

class TransferDeskTest : public ::testing::Test {
 protected:
  TransferDeskTest() {
    cell.set_shares({1});
    cell.admit(7);
    cell.apply(books::Allocate{.period = 1,
        .until = Time{} + 10s,
        .release = Time{} + 12s,
        .sheets = {},
        .deposits = {{.node = PeerId{7}, .class_id = 1, .tickets = 1000, .expires = Time{} + 1h}},
        .draws = {}});
  }

  void decide() {
    cell.store.commit();
    cell.decide(
        [&](const LeaderTurn& turn, const Resolution& outcome) { desk.on_outcome(turn, outcome); });
  }
  Handling hear(std::uint64_t from, const cell::Message& message) {
    return desk.on_message(cell.turn(), cell.at(from), message);
  }
  /// 300 tickets are under way to kDeskOther, which is asked at node 20.
  void send() {
    desk.send(cell.turn(), kDeskOther, cell.at(20), 1, 300);
    decide();
    desk.on_period(cell.turn());
  }
  cell::SavingsOffer offer(std::uint64_t number) const {
    return {.from = kDeskOther,
        .to = cell.cell(),
        .number = number,
        .class_id = 1,
        .tickets = 50,
        .life = 1min,
        .settled_below = 1};
  }

  test::LedCell cell;
  TransferDesk desk;
};

TEST_F(TransferDeskTest, WhatIsUnderWayIsOfferedUntilItIsAnswered) {
  send();
  EXPECT_EQ(cell.ledger().balance(1), 700);
  desk.on_period(cell.turn());
  const auto offers = cell.told<cell::SavingsOffer>(20);
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0], offers[1]);
  EXPECT_EQ(offers[0].tickets, 300);
  EXPECT_EQ(offers[0].life, 1h);
  EXPECT_EQ(
      hear(20, cell::Verdict{.from = cell.cell(), .to = kDeskOther, .number = 1, .accepted = true}),
      Handling::handled);
  decide();
  EXPECT_EQ(cell.seen<TransferSettled>(), 1u);
  cell.sent.clear();
  desk.on_period(cell.turn());
  EXPECT_TRUE(cell.sent.empty());
  EXPECT_EQ(cell.ledger().state().totals.sent, 300);
}

TEST_F(TransferDeskTest, WhatIsRefusedComesBack) {
  send();
  hear(20, cell::Verdict{.from = cell.cell(), .to = kDeskOther, .number = 1, .accepted = false});
  decide();
  EXPECT_EQ(cell.seen<TransferUndone>(), 1u);
  EXPECT_EQ(cell.ledger().balance(1), 1000);
}

TEST_F(TransferDeskTest, OnlyTheNodeThatWasAskedDecides) {
  send();
  const cell::Verdict verdict{.from = cell.cell(), .to = kDeskOther, .number = 1, .accepted = true};
  EXPECT_EQ(hear(66, verdict), Handling::refused);
  decide();
  EXPECT_EQ(cell.ledger().state().totals.sent, 0);
  // One that is late, after the transfer is decided, changes nothing.
  hear(20, verdict);
  decide();
  EXPECT_EQ(hear(20, verdict), Handling::handled);
  decide();
  EXPECT_EQ(cell.seen<TransferSettled>(), 1u);
}

// Gossip knows the latest manager.
TEST_F(TransferDeskTest, ANewManagerOfTheReceiverIsAskedInstead) {
  send();
  auto hint = test::CellStage::hint(kDeskOther, 3, 1);
  hint.manager.node = PeerId{21};
  cell.hints.hear(cell.now, 1h, hint);
  desk.on_period(cell.turn());
  EXPECT_EQ(cell.told<cell::SavingsOffer>(21).size(), 1u);
  EXPECT_EQ(hear(20, cell::Verdict{.from = cell.cell(), .to = kDeskOther, .number = 1}),
      Handling::refused);
}

// The voters decide about one after the other: none is dropped meanwhile.
TEST_F(TransferDeskTest, SeveralTransfersWaitForEachOther) {
  desk.send(cell.turn(), kDeskOther, cell.at(20), 1, 300);
  desk.send(cell.turn(), kThird, cell.at(21), 1, 200);
  desk.send(cell.turn(), kDeskOther, cell.at(20), 1, 100);
  EXPECT_FALSE(desk.idle());
  for (int i = 0; i < 3; ++i) decide();
  EXPECT_TRUE(desk.idle());
  EXPECT_EQ(cell.ledger().balance(1), 400);
  desk.on_period(cell.turn());
  const auto offers = cell.told<cell::SavingsOffer>(20);
  ASSERT_EQ(offers.size(), 2u);
  EXPECT_EQ(offers[0].tickets, 300);
  EXPECT_EQ(offers[1].tickets, 100);
  EXPECT_EQ(cell.told<cell::SavingsOffer>(21).size(), 1u);
}

TEST_F(TransferDeskTest, WhatIsNotThereIsNotSent) {
  desk.send(cell.turn(), kDeskOther, cell.at(20), 2, 300);
  desk.send(cell.turn(), kDeskOther, cell.at(20), 1, 5000);
  decide();
  EXPECT_TRUE(desk.idle());
  EXPECT_EQ(cell.ledger().balance(1), 0);  // All there is, no more.
}

TEST_F(TransferDeskTest, AnOfferIsAcceptedOnceAndAnsweredAgain) {
  EXPECT_EQ(hear(20, offer(1)), Handling::handled);
  EXPECT_TRUE(cell.told<cell::Verdict>(20).empty());  // Not before it is known to be committed.
  decide();
  ASSERT_EQ(cell.told<cell::Verdict>(20).size(), 1u);
  EXPECT_TRUE(cell.told<cell::Verdict>(20).front().accepted);
  hear(20, offer(1));
  EXPECT_EQ(cell.told<cell::Verdict>(20).size(), 2u);
  EXPECT_EQ(cell.ledger().balance(1), 1050);
}

// The books of the other cell are older than they were: without an answer its offer would stay
// under way for ever, and that cell could not end.
TEST_F(TransferDeskTest, ASenderThatWasSetBackIsToldWhatItHadSent) {
  for (std::uint64_t number = 1; number <= 3; ++number) {
    auto each = offer(number);
    each.settled_below = number;
    hear(20, each);
    decide();
  }
  cell.sent.clear();
  auto again = offer(1);
  again.tickets = 20;
  hear(20, again);
  const auto told = cell.told<cell::Verdict>(20);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0],
      (cell::Verdict{.from = kDeskOther,
          .to = cell.cell(),
          .number = 1,
          .accepted = true,
          .below = 4,
          .received = 150}));
}

TEST_F(TransferDeskTest, WhatAnEarlierLifeSentIsPaidOnceMore) {
  send();
  hear(20,
      cell::Verdict{.from = cell.cell(),
          .to = kDeskOther,
          .number = 1,
          .accepted = true,
          .below = 5,
          .received = 450});
  decide();
  EXPECT_EQ(cell.ledger().balance(1), 550);
  EXPECT_EQ(cell.ledger().state().totals.sent, 450);
  EXPECT_EQ(cell.ledger().next_number(kDeskOther), 5u);
  EXPECT_EQ(cell.seen<TransferSettled>(), 1u);
}

TEST_F(TransferDeskTest, ACellThatEndsRefuses) {
  cell.apply_change(books::Dissolve{.into = kDeskOther});
  hear(20, offer(1));
  decide();
  ASSERT_EQ(cell.told<cell::Verdict>(20).size(), 1u);
  EXPECT_FALSE(cell.told<cell::Verdict>(20).front().accepted);
  EXPECT_EQ(cell.ledger().balance(1), 1000);
}

TEST_F(TransferDeskTest, OtherMessagesArePassedOn) {
  EXPECT_EQ(hear(7, cell.report(7)), Handling::passed);
}

}  // namespace
}  // namespace dunlin::sched
