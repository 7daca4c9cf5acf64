// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>

#include "sched/turn.h"
#include "sched/worker/loans/borrower.h"
#include "sched/worker/loans/lender.h"
#include "sched/worker/params.h"

namespace dunlin::sched {

class FollowUp;
class Reservations;

/// What nodes say that borrow of this one, or lend to it.
template <typename M>
concept LoanWord = std::same_as<M, Borrow> || std::same_as<M, Lent> || std::same_as<M, Repay>;

/// A worker as one that borrows for its tasks, and one that lends. A task that waits for a loan
/// starts once it has it; one that gets none for now goes back, and what waits here of its group
/// with it.
class Loans {
 public:
  /// All of them outlive this.
  Loans(const WorkerParams& params,
      const WorkerIncarnation& incarnation,
      Slots& slots,
      RunningTasks& running,
      Reservations& reservations,
      FollowUp& follow_up)
      : running_(running),
        reservations_(reservations),
        follow_up_(follow_up),
        borrower_(params, incarnation),
        lender_(params, slots) {}

  void on_message(Turn& turn, const Endpoint& from, const Borrow& asked);
  void on_message(Turn& turn, const Endpoint& from, const Lent& told);
  void on_message(Turn& turn, const Endpoint& from, const Repay& repaid);
  /// Tasks came, or are gone: see Borrower::follow().
  void follow(Turn& turn);
  void wake(Turn& turn);
  Time next() const { return std::min(borrower_.next(), lender_.next()); }

  /// What tasks here have borrowed elsewhere.
  const Borrower& borrower() const { return borrower_; }
  const Lender& lender() const { return lender_; }

 private:
  void hear(Turn& turn, const LoanFate& fate);

  RunningTasks& running_;
  Reservations& reservations_;
  FollowUp& follow_up_;
  Borrower borrower_;
  Lender lender_;
};

}  // namespace dunlin::sched
