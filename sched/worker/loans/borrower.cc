// SPDX-License-Identifier: MIT
#include "sched/worker/loans/borrower.h"

#include <algorithm>
#include <utility>

// A task with its input elsewhere takes of two nodes, and only one of them knows what it has free.
// So the worker asks the other before it starts the task: one round trip. The answer may be lost,
// or be no. Then the next node is asked, by another number, and what the first one lent after all
// goes back as soon as it says so. If all of them are silent there is nothing that two tasks
// could take: then the task starts without one. A lender that begins anew knows of no loan. The
// next renewal asks it for one; until it has room the task goes on all the same.
namespace dunlin::sched {
namespace {

/// Questions to one node without an answer.
constexpr std::uint8_t kBorrowTries = 2;
/// A loan is renewed so many times before it would end.
constexpr int kRenewals = 3;
/// Groups that are remembered as resting, and nodes as silent.
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
    if (loan.at < loan.sources.size()) {
      turn.out.send(loan.sources[loan.at], Repay{loan.number});
    }
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
    // The worker hears of a task that need not wait with the next wake().
    if (!ask_on(turn, loans_.back())) loans_.back().again = turn.now;
  }
}

bool Borrower::ask_on(Turn& turn, LoanIn& loan) {
  const auto is_silent = [&](const Endpoint& source) {
    return std::ranges::any_of(silent_,
        [&](const auto& each) { return each.first == source.id && turn.now < each.second; });
  };
  while (loan.at < loan.sources.size() && is_silent(loan.sources[loan.at])) ++loan.at;
  if (loan.at == loan.sources.size()) return false;
  ask(turn, loan);
  return true;
}

bool Borrower::ask_next(Turn& turn, LoanIn& loan) {
  turn.out.send(loan.sources[loan.at], Repay{loan.number});
  ++loan.at;
  loan.number = next_number();
  loan.tries = 1;
  return ask_on(turn, loan);
}

void Borrower::note_silent(PeerId node, Time now) {
  std::erase_if(
      silent_, [&](const auto& each) { return each.first == node || each.second <= now; });
  silent_.emplace_back(node, now + params_.loan_rest);
  if (silent_.size() > kRestsMax) silent_.pop_front();
}

LoanFate Borrower::conclude(Turn& turn, std::size_t i) {
  const LoanIn loan = std::move(loans_[i]);
  loans_.erase(loans_.begin() + static_cast<std::ptrdiff_t>(i));
  if (!loan.refused) {
    return {.task = loan.task, .attempt = loan.attempt, .lender = PeerId{}};
  }
  std::erase_if(rests_, [&](const Rest& rest) {
    return rest.until <= turn.now || (rest.job == loan.task.job && rest.group == loan.group);
  });
  rests_.push_back({loan.task.job, loan.group, turn.now + params_.loan_rest});
  if (rests_.size() > kRestsMax) rests_.pop_front();
  turn.events.on(LoanMissed{loan.task.job, loan.task.index, loan.attempt});
  return {.task = loan.task, .attempt = loan.attempt, .lender = std::nullopt};
}

std::optional<LoanFate> Borrower::on_message(Turn& turn, const Endpoint& from, const Lent& told) {
  std::erase_if(silent_, [&](const auto& each) { return each.first == from.id; });
  const auto loan = std::ranges::find_if(loans_, [&](const LoanIn& each) {
    return each.number == told.loan && each.at < each.sources.size() &&
        each.sources[each.at].id == from.id;
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
  loan->refused = true;
  if (ask_next(turn, *loan)) return std::nullopt;
  return conclude(turn, static_cast<std::size_t>(loan - loans_.begin()));
}

std::vector<LoanFate> Borrower::wake(Turn& turn) {
  std::vector<LoanFate> concluded;
  for (std::size_t i = loans_.size(); i-- > 0;) {
    LoanIn& loan = loans_[i];
    if (loan.again > turn.now) continue;
    if (loan.has) {
      ask(turn, loan);
    } else if (loan.at == loan.sources.size()) {
      concluded.push_back(conclude(turn, i));
    } else if (loan.tries < kBorrowTries) {
      ++loan.tries;
      ask(turn, loan);
    } else {
      note_silent(loan.sources[loan.at].id, turn.now);
      if (!ask_next(turn, loan)) concluded.push_back(conclude(turn, i));
    }
  }
  return concluded;
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
