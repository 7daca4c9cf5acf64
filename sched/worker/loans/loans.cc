// SPDX-License-Identifier: MIT
#include "sched/worker/loans/loans.h"

#include "sched/worker/follow_up.h"
#include "sched/worker/reservations.h"

namespace dunlin::sched {

void Loans::on_message(Turn& turn, const Endpoint& from, const Borrow& asked) {
  lender_.on_message(turn, from, asked);
  follow_up_.schedule(turn.now);
}

void Loans::on_message(Turn& turn, const Endpoint& from, const Lent& told) {
  if (const auto fate = borrower_.on_message(turn, from, told)) hear(turn, *fate);
  follow_up_.schedule(turn.now);
}

void Loans::on_message(Turn& turn, const Endpoint& from, const Repay& repaid) {
  if (lender_.on_message(turn, from, repaid)) follow_up_.dispatch(turn);
  follow_up_.schedule(turn.now);
}

void Loans::follow(Turn& turn) {
  borrower_.follow(turn, running_.running());
}

void Loans::wake(Turn& turn) {
  const bool frees = lender_.expire(turn);
  for (const LoanFate& fate : borrower_.wake(turn)) hear(turn, fate);
  if (frees) follow_up_.dispatch(turn);
}

void Loans::hear(Turn& turn, const LoanFate& fate) {
  const auto group = running_.settle_loan(turn, fate.task, fate.attempt, fate.lender);
  if (!group) return;
  reservations_.turn_away(turn, fate.task.job, *group);
  follow_up_.dispatch(turn);
}

}  // namespace dunlin::sched
