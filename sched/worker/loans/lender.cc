// SPDX-License-Identifier: MIT
#include "sched/worker/loans/lender.h"

#include <algorithm>

#include "sched/resources.h"

// A question says the number of the loan, and the same number is the same loan: so a question that
// came twice is answered twice, and lends once. One that comes after its loan was repaid makes a
// loan that nothing needs. Its borrower hears of it and repays it again, or it ends by its lease.
namespace dunlin::sched {
namespace {

auto loan_of(std::vector<LoanOut>& out, PeerId borrower, std::uint64_t number) {
  return std::ranges::find_if(out,
      [&](const LoanOut& loan) { return loan.borrower.id == borrower && loan.number == number; });
}

}  // namespace

bool Lender::grant(Turn& turn, const Endpoint& from, const Borrow& asked) {
  const Time ends = turn.now + std::min(Duration{asked.lease}, params_.loan_lease);
  const auto known = loan_of(out_, from.id, asked.loan);
  if (known != out_.end()) {
    known->ends = ends;
    return true;
  }
  Resources amounts;
  amounts.disk_read = asked.disk_read;
  amounts.net_out = asked.net_out;
  // One that takes no tasks lends nevertheless: a task with its input there alone would wait for
  // the end of a drain.
  if (out_.size() >= params_.loans_max || !fits(amounts, slots_.free())) return false;
  slots_.set_aside(amounts, false);
  out_.push_back({.borrower = from, .number = asked.loan, .amounts = amounts, .ends = ends});
  turn.events.on(LoanGiven{from.id, asked.loan});
  return true;
}

void Lender::on_message(Turn& turn, const Endpoint& from, const Borrow& asked) {
  turn.out.send(from, Lent{.loan = asked.loan, .granted = grant(turn, from, asked)});
}

bool Lender::on_message(Turn& turn, const Endpoint& from, const Repay& repaid) {
  const auto known = loan_of(out_, from.id, repaid.loan);
  if (known == out_.end()) return false;
  slots_.put_back(known->amounts, false);
  out_.erase(known);
  turn.events.on(LoanEnded{from.id, repaid.loan, true});
  return true;
}

bool Lender::expire(Turn& turn) {
  const auto is_over = [&](const LoanOut& loan) { return loan.ends <= turn.now; };
  for (const LoanOut& loan : out_) {
    if (!is_over(loan)) continue;
    slots_.put_back(loan.amounts, false);
    turn.events.on(LoanEnded{loan.borrower.id, loan.number, false});
  }
  return std::erase_if(out_, is_over) > 0;
}

Time Lender::next() const {
  Time earliest = kNever;
  for (const LoanOut& loan : out_) earliest = std::min(earliest, loan.ends);
  return earliest;
}

}  // namespace dunlin::sched
