// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/ledger/audit.h"
#include "tests/support/books_commands.h"

namespace dunlin::sched {
namespace {

using testing::at_second;
using testing::deposits_of;
using testing::ledger_with;
using testing::outcome_of;
using testing::saving;

/// Two cells; class 4 of cell 1 has saved 500 tickets until second 100.
class LedgerTransfers : public ::testing::Test {
 protected:
  LedgerTransfers() : giver(ledger_with({1}, 1)), taker(ledger_with({2}, 1)) {
    outcome_of(giver, deposits_of(1, {saving(1, 4, 500, 100)}));
  }

  books::Outcome reserve(std::uint64_t number, Tickets tickets) {
    return outcome_of(
        giver, books::HoldSavings{.to = {2}, .number = number, .class_id = 4, .tickets = tickets});
  }
  books::Outcome accept(std::uint64_t number, Tickets tickets, std::uint64_t settled_below = 1) {
    return outcome_of(taker,
        books::Accept{.from = {1},
            .number = number,
            .class_id = 4,
            .tickets = tickets,
            .life = std::chrono::seconds(100),
            .settled_below = settled_below});
  }
  books::Outcome refuse(std::uint64_t number) {
    return outcome_of(taker, books::Refuse{.from = {1}, .number = number, .settled_below = 1});
  }
  books::Outcome settle(std::uint64_t number) {
    return outcome_of(giver, books::Settle{.to = {2}, .number = number});
  }
  books::Outcome undo(std::uint64_t number) {
    return outcome_of(giver, books::Undo{.to = {2}, .number = number});
  }
  void expect_whole() const {
    const books::State* const cells[] = {&giver.state(), &taker.state()};
    EXPECT_EQ(broken_between(cells), std::nullopt);
    const Audit sum = add_up(cells);
    EXPECT_TRUE(balances(sum));
    EXPECT_EQ(sum.available + sum.in_flight, 500);
    EXPECT_EQ(sum.sent, sum.received);
  }

  Ledger giver;
  Ledger taker;
};

TEST_F(LedgerTransfers, MoveSavingsInTwoPhases) {
  EXPECT_EQ(giver.next_number(CellId{2}), 1u);
  EXPECT_EQ(reserve(1, 200), books::Outcome::applied);
  EXPECT_EQ(giver.balance(4), 300);
  EXPECT_EQ(audit_of(giver.state()).in_flight, 200);
  expect_whole();
  EXPECT_EQ(accept(1, 200), books::Outcome::applied);
  EXPECT_EQ(taker.balance(4), 200);
  expect_whole();
  EXPECT_EQ(settle(1), books::Outcome::applied);
  EXPECT_EQ(giver.balance(4), 300);
  EXPECT_EQ(audit_of(giver.state()).in_flight, 0);
  expect_whole();
}

TEST_F(LedgerTransfers, RefusedSavingsComeBackAsTheyWere) {
  const auto before = giver.state().accounts;
  reserve(1, 200);
  EXPECT_EQ(refuse(1), books::Outcome::applied);
  EXPECT_EQ(taker.verdict(CellId{1}, 1), false);
  EXPECT_EQ(undo(1), books::Outcome::applied);
  EXPECT_EQ(giver.state().accounts, before);
  expect_whole();
}

TEST_F(LedgerTransfers, EachIsDecidedAndFinishedOnce) {
  reserve(1, 200);
  EXPECT_EQ(reserve(1, 200), books::Outcome::done);
  EXPECT_EQ(accept(1, 200), books::Outcome::applied);
  EXPECT_EQ(accept(1, 200), books::Outcome::done);
  EXPECT_EQ(refuse(1), books::Outcome::done);
  EXPECT_EQ(taker.verdict(CellId{1}, 1), true);
  EXPECT_EQ(settle(1), books::Outcome::applied);
  EXPECT_EQ(settle(1), books::Outcome::done);
  EXPECT_EQ(undo(1), books::Outcome::done);
  EXPECT_EQ(settle(2), books::Outcome::unknown_transfer);
  EXPECT_EQ(undo(2), books::Outcome::unknown_transfer);
  EXPECT_EQ(reserve(3, 1), books::Outcome::out_of_order);
  expect_whole();
}

TEST_F(LedgerTransfers, ReceiverForgetsWhatTheSenderIsDoneWith) {
  for (std::uint64_t number = 1; number <= 3; ++number) {
    reserve(number, 10);
    EXPECT_EQ(accept(number, 10, giver.settled_below(CellId{2})), books::Outcome::applied);
    settle(number);
    EXPECT_EQ(giver.settled_below(CellId{2}), number + 1);
  }
  EXPECT_EQ(taker.state().partners[0].incoming.size(), 1u);
  EXPECT_EQ(taker.verdict(CellId{1}, 1), std::nullopt);
  EXPECT_EQ(accept(1, 10), books::Outcome::done);  // A late duplicate.
  expect_whole();
}

TEST_F(LedgerTransfers, NoMoreUnderWayThanTheReceiverRemembers) {
  for (std::uint64_t number = 1; number <= 64; ++number) {
    EXPECT_EQ(reserve(number, 1), books::Outcome::applied);
  }
  EXPECT_EQ(reserve(65, 1), books::Outcome::too_many);
  EXPECT_EQ(accept(65, 1), books::Outcome::ahead);
  // One in the middle finished makes no room: the first is what the receiver must remember.
  accept(7, 1);
  settle(7);
  EXPECT_EQ(reserve(65, 1), books::Outcome::too_many);
  accept(1, 1);
  settle(1);
  EXPECT_EQ(reserve(65, 1), books::Outcome::applied);
  expect_whole();
}

TEST_F(LedgerTransfers, MustMakeSense) {
  EXPECT_EQ(reserve(1, 501), books::Outcome::insufficient);
  EXPECT_EQ(reserve(1, 0), books::Outcome::malformed);
  EXPECT_EQ(reserve(1, -5), books::Outcome::malformed);
  EXPECT_EQ(
      outcome_of(giver, books::HoldSavings{.to = {1}, .number = 1, .class_id = 4, .tickets = 1}),
      books::Outcome::malformed);
  EXPECT_EQ(accept(0, 10, 0), books::Outcome::malformed);
  EXPECT_EQ(accept(1, 10, 2), books::Outcome::malformed);
  EXPECT_EQ(accept(1, -10), books::Outcome::malformed);
  EXPECT_EQ(settle(1), books::Outcome::unknown_transfer);
}

TEST_F(LedgerTransfers, SavingsGrowNoYoungerOnTheirWay) {
  reserve(1, 200);
  outcome_of(giver, books::Tick{}, 1, 99);
  outcome_of(taker,
      books::Accept{.from = {1},
          .number = 1,
          .class_id = 4,
          .tickets = 200,
          .life = std::chrono::seconds(1),
          .settled_below = 1},
      1, 5);
  outcome_of(taker, books::Tick{}, 1, 6);
  EXPECT_EQ(taker.balance(4), 0);
  EXPECT_EQ(taker.state().totals.expired, 200);
  // Those that come back too late expire then and there.
  reserve(2, 100);
  outcome_of(giver, books::Undo{.to = {2}, .number = 2}, 1, 101);
  EXPECT_EQ(giver.balance(4), 0);
  EXPECT_EQ(giver.state().totals.expired, 300);
}

/// An older database of the sender's only voter was brought back: it counts on from there.
class SetBack : public LedgerTransfers {
 protected:
  void pass(std::uint64_t number, Tickets tickets) {
    EXPECT_EQ(reserve(number, tickets), books::Outcome::applied);
    EXPECT_EQ(accept(number, tickets, giver.settled_below(CellId{2})), books::Outcome::applied);
    EXPECT_EQ(settle(number), books::Outcome::applied);
  }
  /// What the receiver answers to an offer is done at the sender.
  books::Outcome make_up(std::uint64_t number, Tickets tickets) {
    const auto earlier = taker.earlier_life(CellId{1}, number, tickets);
    EXPECT_TRUE(earlier);
    return earlier ? outcome_of(giver,
                         books::Settle{.to = {2},
                             .number = number,
                             .below = earlier->below,
                             .received = earlier->received})
                   : books::Outcome::malformed;
  }
  void expect_agreement() const {
    const books::State* const cells[] = {&giver.state(), &taker.state()};
    EXPECT_EQ(broken_between(cells), std::nullopt);
    EXPECT_TRUE(balances(add_up(cells)));
    EXPECT_EQ(giver.state().totals.sent, taker.state().totals.received);
    EXPECT_EQ(broken_invariant(giver.state()), std::nullopt);
  }
};

TEST_F(SetBack, PaysOnceMoreWhatItHadSent) {
  const Ledger older = giver;
  for (const Tickets each : {10, 20, 30}) pass(giver.next_number(CellId{2}), each);
  giver = older;
  reserve(1, 5);
  // The receiver has forgotten that number: it neither accepts nor refuses it.
  EXPECT_EQ(taker.verdict(CellId{1}, 1), std::nullopt);
  EXPECT_EQ(make_up(1, 5), books::Outcome::applied);
  EXPECT_EQ(giver.balance(4), 440);
  EXPECT_EQ(giver.next_number(CellId{2}), 4u);
  expect_agreement();
  EXPECT_EQ(make_up(1, 5), books::Outcome::done) << "a late answer";
  pass(4, 7);
  expect_agreement();
}

TEST_F(SetBack, ANumberThatIsStillKnownIsNotMistakenForAnother) {
  const Ledger older = giver;
  pass(1, 10);
  giver = older;
  reserve(1, 25);
  reserve(2, 50);
  EXPECT_EQ(make_up(1, 25), books::Outcome::applied);
  EXPECT_EQ(giver.balance(4), 440) << "the second is still under way";
  expect_agreement();
  EXPECT_EQ(accept(2, 50, giver.settled_below(CellId{2})), books::Outcome::applied);
  EXPECT_EQ(settle(2), books::Outcome::applied);
  expect_agreement();
}

TEST_F(SetBack, WhatItLacksWasEarnedInTheLifeThatIsForgotten) {
  const Ledger older = giver;
  outcome_of(giver, deposits_of(2, {saving(1, 4, 400, 100)}));
  pass(1, 900);
  giver = older;
  reserve(1, 5);
  EXPECT_EQ(make_up(1, 5), books::Outcome::applied);
  EXPECT_EQ(giver.balance(4), 0);
  EXPECT_EQ(giver.state().totals.reissued, 400);
  expect_agreement();
}

TEST_F(SetBack, NothingIsMadeUpForASenderThatKnowsWhatItSent) {
  pass(1, 10);
  reserve(2, 20);
  EXPECT_FALSE(taker.earlier_life(CellId{1}, 2, 20));
  accept(2, 20, giver.settled_below(CellId{2}));
  EXPECT_FALSE(taker.earlier_life(CellId{1}, 2, 20)) << "the same offer once more";
  EXPECT_FALSE(taker.earlier_life(CellId{3}, 1, 20));
}

TEST_F(LedgerTransfers, LostCellIsWrittenOff) {
  reserve(1, 100);
  accept(1, 100);
  settle(1);
  reserve(2, 50);
  books::WriteOff lost{
      .cell = {2}, .issue = {{.class_id = 4, .tickets = 101}}, .expires = at_second(90)};
  EXPECT_EQ(outcome_of(giver, lost), books::Outcome::insufficient);  // It had but 100 of ours.
  lost.issue[0].tickets = 100;
  EXPECT_EQ(outcome_of(giver, lost), books::Outcome::applied);
  EXPECT_EQ(giver.balance(4), 500);
  EXPECT_EQ(outcome_of(giver, lost), books::Outcome::done);
  // Whatever it still says counts no more.
  EXPECT_EQ(reserve(3, 1), books::Outcome::lost_cell);
  EXPECT_EQ(settle(2), books::Outcome::lost_cell);
  EXPECT_EQ(undo(2), books::Outcome::lost_cell);
  EXPECT_EQ(outcome_of(giver,
                books::Accept{.from = {2},
                    .number = 1,
                    .class_id = 4,
                    .tickets = 5,
                    .life = {},
                    .settled_below = 1}),
      books::Outcome::lost_cell);
  const books::State* const cells[] = {&giver.state(), &taker.state()};
  EXPECT_EQ(broken_between(cells), std::nullopt);
}

TEST_F(LedgerTransfers, AuditFindsWhatIsDoubledOrLost) {
  reserve(1, 200);
  Ledger other = taker;
  accept(1, 150);  // A receiver that cannot read.
  const books::State* const wrong[] = {&giver.state(), &taker.state()};
  EXPECT_NE(broken_between(wrong).value_or("").find("another amount"), std::string::npos);
  settle(1);
  const books::State* const lost[] = {&giver.state(), &other.state()};
  EXPECT_NE(broken_between(lost).value_or("").find("200 are settled"), std::string::npos);
}

TEST(Audit, FindsABrokenState) {
  const Ledger ledger = [] {
    Ledger made = ledger_with({1}, 2);
    outcome_of(made, deposits_of(1, {saving(1, 4, 500, 100)}));
    return made;
  }();
  EXPECT_EQ(broken_invariant(ledger.state()), std::nullopt);
  const auto broken = [&](auto&& damage) {
    books::State state = ledger.state();
    damage(state);
    return broken_invariant(state).value_or("");
  };
  EXPECT_NE(broken([](auto& state) { state.nodes[0].tickets += 1; }), "");
  EXPECT_NE(broken([](auto& state) { std::swap(state.nodes[0], state.nodes[1]); }), "");
  EXPECT_NE(broken([](auto& state) { state.nodes[0].grants = {{1, 1001}}; }), "");
  EXPECT_NE(broken([](auto& state) { state.nodes[0].grants = {{1, -1}}; }), "");
  EXPECT_NE(broken([](auto& state) { state.accounts[0].deposits[0].tickets -= 1; }), "");
  EXPECT_NE(broken([](auto& state) { state.accounts[0].deposits.clear(); }), "");
  EXPECT_NE(broken([](auto& state) { state.accounts[0].node = PeerId{77}; }), "");
  EXPECT_NE(broken([](auto& state) { state.totals.issued = -1; }), "");
  EXPECT_NE(broken([](auto& state) { state.accounts[0].deposits[0].tickets = 1ll << 62; }), "");
  EXPECT_NE(broken([](auto& state) { state.partners.resize(2); }), "");
}

}  // namespace
}  // namespace dunlin::sched
