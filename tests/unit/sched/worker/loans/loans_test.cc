// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "sched/inputs/input_rates.h"
#include "sched/worker/loans/borrower.h"
#include "sched/worker/loans/lender.h"
#include "tests/support/loose_parts.h"
#include "tests/support/solo.h"

namespace dunlin::test {
namespace {

using namespace std::chrono_literals;
using sched::Borrow;
using sched::Lent;
using sched::Repay;

constexpr std::uint32_t kRate = 1024;

/// A node that declares 4 MiB/s of disk read and of network out.
class LenderTest : public Solo {
 protected:
  static sched::Resources total() {
    return {
        .cpu = 4000, .memory = 8192, .custom = {}, .disk_read = 4 * kRate, .net_out = 4 * kRate};
  }
  static sched::WorkerParams params() {
    sched::WorkerParams params;
    params.loan_lease = 30s;
    params.loans_max = 3;
    return params;
  }
  bool borrow(std::uint64_t from, std::uint64_t loan, sched::Duration lease = 30s) {
    out.clear();
    auto now_turn = turn();
    lender.on_message(now_turn, node(from),
        Borrow{.loan = loan, .disk_read = kRate, .net_out = kRate, .lease = lease});
    EXPECT_EQ(out.only<Lent>().loan, loan);
    EXPECT_EQ(out.sent.front().first, node(from));
    return out.only<Lent>().granted;
  }
  bool repay(std::uint64_t from, std::uint64_t loan) {
    auto now_turn = turn();
    return lender.on_message(now_turn, node(from), Repay{loan});
  }
  bool expire() {
    auto now_turn = turn();
    return lender.expire(now_turn);
  }
  std::uint32_t free() const { return parts.slots.free().disk_read; }

  LooseParts parts{total(), params()};
  sched::Lender lender{parts.params, parts.slots};
};

TEST_F(LenderTest, WhatIsLentIsNotFree) {
  EXPECT_TRUE(borrow(5, 1));
  EXPECT_EQ(free(), 3 * kRate);
  EXPECT_EQ(parts.slots.free().net_out, 3 * kRate);
  EXPECT_TRUE(repay(5, 1));
  EXPECT_EQ(free(), 4 * kRate);
  EXPECT_TRUE(lender.out().empty());
}

TEST_F(LenderTest, AMessageThatComesTwiceChangesNothing) {
  EXPECT_TRUE(borrow(5, 1));
  EXPECT_TRUE(borrow(5, 1));
  EXPECT_EQ(free(), 3 * kRate);
  EXPECT_TRUE(repay(5, 1));
  EXPECT_FALSE(repay(5, 1));
  EXPECT_EQ(free(), 4 * kRate);
}

TEST_F(LenderTest, NumbersAreThoseOfTheirBorrower) {
  EXPECT_TRUE(borrow(5, 1));
  EXPECT_TRUE(borrow(6, 1));
  EXPECT_EQ(free(), 2 * kRate);
  EXPECT_FALSE(repay(7, 1));
  EXPECT_TRUE(repay(6, 1));
  EXPECT_EQ(lender.out().front().borrower, node(5));
}

TEST_F(LenderTest, MoreThanThereIsIsRefused) {
  parts.run(turn(), [&] {
    sched::Reserve reserve = reserve_of(1);
    reserve.demand.disk_read = 3 * kRate;
    return reserve;
  }());
  EXPECT_TRUE(borrow(5, 1));
  EXPECT_FALSE(borrow(5, 2));
  EXPECT_EQ(free(), 0u);
  EXPECT_TRUE(borrow(5, 1)) << "it has that already";
}

TEST_F(LenderTest, LoansAreBounded) {
  EXPECT_TRUE(borrow(5, 1));
  EXPECT_TRUE(borrow(5, 2));
  EXPECT_TRUE(borrow(5, 3));
  EXPECT_FALSE(borrow(5, 4));
}

TEST_F(LenderTest, ANodeThatDrainsLendsAsOthersDo) {
  EXPECT_TRUE(borrow(5, 1));
  parts.slots.drain(true);
  EXPECT_TRUE(borrow(5, 2));
  EXPECT_EQ(free(), 2 * kRate);
}

TEST_F(LenderTest, ALoanEndsWithItsLease) {
  EXPECT_TRUE(borrow(5, 1));
  EXPECT_EQ(lender.next(), now + 30s);
  now += 20s;
  EXPECT_TRUE(borrow(5, 1)) << "renewed";
  now += 29s;
  EXPECT_FALSE(expire());
  now += 1s;
  EXPECT_TRUE(expire());
  EXPECT_EQ(free(), 4 * kRate);
  EXPECT_EQ(lender.next(), sched::kNever);
}

TEST_F(LenderTest, NoLeaseIsLongerThanTheLenderAllows) {
  EXPECT_TRUE(borrow(5, 1, 1h));
  EXPECT_EQ(lender.next(), now + 30s);
}

/// A task of which nodes 5 and 6 have the input.
class BorrowerTest : public Solo {
 protected:
  sched::RunningTask task(std::uint32_t index = 0) const {
    sched::RunningTask running;
    running.task = {{.home = {99}, .number = 1}, index};
    sched::LoanWish wish{.group = 2, .amounts = {}, .sources = {node(5), node(6)}};
    wish.amounts.disk_read = wish.amounts.net_out = kRate;
    running.borrows = std::make_shared<const sched::LoanWish>(wish);
    return running;
  }
  void follow(const std::vector<sched::RunningTask>& running) {
    auto now_turn = turn();
    borrower.follow(now_turn, running);
  }
  auto hear(std::uint64_t from, const Lent& told) {
    auto now_turn = turn();
    return borrower.on_message(now_turn, node(from), told);
  }
  auto wake() {
    now = borrower.next();
    auto now_turn = turn();
    return borrower.wake(now_turn);
  }
  Borrow asked_last() const { return out.all<Borrow>().back(); }

  sched::WorkerParams params;
  sched::WorkerIncarnation incarnation{.number = 3};
  sched::Borrower borrower{params, incarnation};
};

TEST_F(BorrowerTest, AsksOnceForEachTask) {
  follow({task(0), task(1)});
  follow({task(0), task(1)});
  const auto asked = out.all<Borrow>();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_NE(asked[0].loan, asked[1].loan);
  EXPECT_EQ(asked[0].loan >> 32, 3u) << "another incarnation has other numbers";
  EXPECT_EQ(asked[0].disk_read, kRate);
  EXPECT_EQ(out.sent.front().first, node(5));
}

TEST_F(BorrowerTest, ALoanIsRenewedAndRepaidWhenItsTaskIsGone) {
  follow({task()});
  const std::uint64_t loan = asked_last().loan;
  const auto fate = hear(5, {loan, true});
  ASSERT_TRUE(fate);
  EXPECT_EQ(fate->lender, sched::PeerId{5});
  EXPECT_FALSE(hear(5, {loan, true})) << "it came twice";
  out.clear();
  EXPECT_TRUE(wake().empty());
  EXPECT_EQ(out.only<Borrow>().loan, loan);
  EXPECT_FALSE(hear(5, {loan, false})) << "the task goes on, and it is asked for again";
  out.clear();
  follow({});
  EXPECT_EQ(out.only<Repay>().loan, loan);
  EXPECT_TRUE(borrower.loans().empty());
  EXPECT_EQ(borrower.next(), sched::kNever);
}

TEST_F(BorrowerTest, ARefusalSendsItToTheNextNodeThenBack) {
  follow({task()});
  const std::uint64_t first = asked_last().loan;
  EXPECT_FALSE(hear(5, {first, false}));
  EXPECT_EQ(out.sent.back().first, node(6));
  EXPECT_NE(asked_last().loan, first);
  EXPECT_FALSE(borrower.rests({.home = {99}, .number = 1}, 2, now));
  const auto fate = hear(6, {asked_last().loan, false});
  ASSERT_TRUE(fate);
  EXPECT_FALSE(fate->lender) << "it goes back";
  EXPECT_TRUE(borrower.loans().empty());
  const sched::JobId job{.home = {99}, .number = 1};
  EXPECT_TRUE(borrower.rests(job, 2, now));
  EXPECT_FALSE(borrower.rests(job, 1, now));
  EXPECT_FALSE(borrower.rests(job, 2, now + params.loan_rest));
}

TEST_F(BorrowerTest, ATaskWaitsForNoNodeThatIsSilent) {
  follow({task()});
  EXPECT_TRUE(wake().empty());
  EXPECT_EQ(out.all<Borrow>().size(), 2u) << "asked again, by the same number";
  EXPECT_EQ(out.all<Borrow>()[0].loan, out.all<Borrow>()[1].loan);
  EXPECT_TRUE(wake().empty());
  EXPECT_EQ(out.sent.back().first, node(6));
  EXPECT_EQ(out.all<Repay>().size(), 1u) << "the first may have lent after all";
  EXPECT_TRUE(wake().empty());
  const auto fates = wake();
  ASSERT_EQ(fates.size(), 1u);
  EXPECT_EQ(fates[0].lender, sched::PeerId{}) << "it starts without a loan";
  EXPECT_FALSE(borrower.rests({.home = {99}, .number = 1}, 2, now));
  EXPECT_TRUE(borrower.loans().empty());
}

TEST_F(BorrowerTest, NodesThatWereSilentAreNotAskedForAWhile) {
  follow({task(0)});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(wake().empty());
  ASSERT_EQ(wake().size(), 1u);
  out.clear();
  follow({task(1)});
  EXPECT_TRUE(out.all<Borrow>().empty());
  EXPECT_EQ(borrower.next(), now);
  ASSERT_EQ(wake().size(), 1u);
  hear(6, {12345, false});  // It is back.
  follow({task(2)});
  EXPECT_EQ(out.sent.back().first, node(6));
  follow({});
  now += params.loan_rest;
  follow({task(3)});
  EXPECT_EQ(out.sent.back().first, node(5));
}

TEST_F(BorrowerTest, ATaskWaitsForANodeThatHasNoRoomNow) {
  follow({task()});
  EXPECT_FALSE(hear(5, {asked_last().loan, false}));
  EXPECT_TRUE(wake().empty());
  const auto fates = wake();
  ASSERT_EQ(fates.size(), 1u);
  EXPECT_FALSE(fates[0].lender);
}

TEST_F(BorrowerTest, WhatIsLentTooLateGoesBack) {
  follow({task()});
  const std::uint64_t first = asked_last().loan;
  EXPECT_FALSE(hear(5, {first, false}));
  out.clear();
  EXPECT_FALSE(hear(5, {first, true}));
  EXPECT_EQ(out.only<Repay>().loan, first);
  out.clear();
  EXPECT_FALSE(hear(9, {12345, false}));
  EXPECT_TRUE(out.sent.empty());
}

}  // namespace
}  // namespace dunlin::test
