// SPDX-License-Identifier: MIT
#include "sched/worker/worker.h"

// A worker as one that borrows for its tasks, and one that lends.
namespace dunlin::sched {

void Worker::on_message(Turn& turn, const Endpoint& from, const Borrow& asked) {
  lender_.on_message(turn, from, asked);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Lent& told) {
  if (const auto fate = borrower_.on_message(turn, from, told)) hear_loan(turn, *fate);
  schedule(turn.now);
}

void Worker::on_message(Turn& turn, const Endpoint& from, const Repay& repaid) {
  if (lender_.on_message(turn, from, repaid)) dispatch(turn);
  schedule(turn.now);
}

void Worker::hear_loan(Turn& turn, const LoanFate& fate) {
  const auto group = running_.settle_loan(turn, fate.task, fate.attempt, fate.lender);
  if (!group) return;
  reservations_.turn_away(turn, fate.task.job, *group);
  dispatch(turn);
}

void Worker::wake_loans(Turn& turn) {
  const bool frees = lender_.expire(turn);
  for (const LoanFate& fate : borrower_.wake(turn)) hear_loan(turn, fate);
  if (frees) dispatch(turn);
}

}  // namespace dunlin::sched
