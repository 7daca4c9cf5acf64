// SPDX-License-Identifier: MIT
#include "sched/worker/loans/borrower.h"

#include <algorithm>
#include <utility>

// A task with its input elsewhere takes of two nodes, and only one of them knows what it has free.
// So the worker asks the other before it starts the task: one round trip. The answer may be lost,
// or be no. Then the next node is asked, by another number, and what the first one lent after all
// goes back as soon as it says so. A lender that begins anew knows of no loan. The next renewal
// asks it for one; until it has room the task goes on all the same.
namespace dunlin::sched {
namespace {

/// Questions to one node without an answer.
constexpr std::uint8_t kBorrowTries = 2;
/// A loan is renewed so many times before it would end.
constexpr int kRenewals = 3;
/// Groups that are remembered as resting.
constexpr std::size_t kRestsMax = 256;

bool is_loan_of(const LoanIn& loan, const RunningTask& running) {
  return loan.task == running.task && loan.attempt == running.attempt;
}

}  // namespace

void Borrower::ask(Turn& turn, LoanIn& loan) const {
  loan.again = turn.now +
      (loan.has ? params_.loan_lease / kRenewals : params_.ask_timeout * (1 << (loan.tries - 1)));
  turn.out.send(loan.sources[loan.at],
      Borrow{.loan = loan.number,
          .disk_read = loan.amounts.disk_read,
          .net_out = loan.amounts.net_out,
          .lease = params_.loan_lease});
}

void Borrower::follow(Turn& turn, const std::vector<RunningTask>& running) {
  std::erase_if(loans_, [&](const LoanIn& loan) {
    const auto is_here = [&](const RunningTask& each) { return is_loan_of(loan, each); };
    if (std::ranges::any_of(running, is_here)) return false;
    // Also if it has only been asked for: the answer may be under way.
    turn.out.send(loan.sources[loan.at], Repay{loan.number});
    return true;
  });
  for (const RunningTask& each : running) {
    if (!each.borrows) continue;
    const auto is_its = [&](const LoanIn& loan) { return is_loan_of(loan, each); };
    if (std::ranges::any_of(loans_, is_its)) continue;
    loans_.push_back({.number = next_number(),
        .task = each.task,
        .attempt = each.attempt,
        .group = each.borrows->group,
        .amounts = each.borrows->amounts,
        .sources = each.borrows->sources});
    ask(turn, loans_.back());
  }
}

bool Borrower::ask_next(Turn& turn, LoanIn& loan) {
  turn.out.send(loan.sources[loan.at], Repay{loan.number});
  if (++loan.at == loan.sources.size()) return false;
  loan.number = next_number();
  loan.tries = 1;
  ask(turn, loan);
  return true;
}

LoanFate Borrower::give_up(Turn& turn, std::size_t i) {
  const LoanIn loan = std::move(loans_[i]);
  loans_.erase(loans_.begin() + static_cast<std::ptrdiff_t>(i));
  std::erase_if(rests_, [&](const Rest& rest) {
    return rest.until <= turn.now || (rest.job == loan.task.job && rest.group == loan.group);
  });
  rests_.push_back({loan.task.job, loan.group, turn.now + params_.loan_rest});
  if (rests_.size() > kRestsMax) rests_.pop_front();
  turn.events.on(LoanMissed{loan.task.job, loan.task.index, loan.attempt});
  return {.task = loan.task, .attempt = loan.attempt};
}

std::optional<LoanFate> Borrower::on_message(Turn& turn, const Endpoint& from, const Lent& told) {
  const auto loan = std::ranges::find_if(loans_, [&](const LoanIn& each) {
    return each.number == told.loan && each.sources[each.at].id == from.id;
  });
  if (loan == loans_.end()) {
    if (told.granted) turn.out.send(from, Repay{told.loan});
    return std::nullopt;
  }
  if (loan->has) return std::nullopt;  // It was renewed, or will be asked for again.
  if (told.granted) {
    loan->has = true;
    loan->again = turn.now + params_.loan_lease / kRenewals;
    return LoanFate{.task = loan->task, .attempt = loan->attempt, .lender = from.id};
  }
  if (ask_next(turn, *loan)) return std::nullopt;
  return give_up(turn, static_cast<std::size_t>(loan - loans_.begin()));
}

std::vector<LoanFate> Borrower::wake(Turn& turn) {
  std::vector<LoanFate> given_up;
  for (std::size_t i = loans_.size(); i-- > 0;) {
    LoanIn& loan = loans_[i];
    if (loan.again > turn.now) continue;
    if (loan.has) {
      ask(turn, loan);
    } else if (loan.tries < kBorrowTries) {
      ++loan.tries;
      ask(turn, loan);
    } else if (!ask_next(turn, loan)) {
      given_up.push_back(give_up(turn, i));
    }
  }
  return given_up;
}

Time Borrower::next() const {
  Time earliest = kNever;
  for (const LoanIn& loan : loans_) earliest = std::min(earliest, loan.again);
  return earliest;
}

bool Borrower::rests(const JobId& job, std::uint16_t group, Time now) const {
  return std::ranges::any_of(rests_,
      [&](const Rest& rest) { return rest.job == job && rest.group == group && now < rest.until; });
}

}  // namespace dunlin::sched
