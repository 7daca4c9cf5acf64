// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/params.h"
#include "sched/worker/slots.h"

namespace dunlin::sched {

/// Disk read and network out of this node that a task elsewhere takes, which reads its input here.
struct LoanOut {
  Endpoint borrower;
  std::uint64_t number = 0;  ///< One of the borrower's.
  Resources amounts;
  Time ends{};  ///< Unless it is renewed before.
};

/// The loans that this node has given. Each is set aside like the resources of a task, so nothing
/// is over-committed; and each ends with its lease, whatever becomes of its borrower. A new
/// incarnation of the node knows of none: its borrowers renew theirs, and get them again if there
/// is room.
class Lender {
 public:
  /// Both outlive this.
  Lender(const WorkerParams& params, Slots& slots) : params_(params), slots_(slots) {}

  /// Gives, renews or refuses a loan.
  void on_message(Turn& turn, const Endpoint& from, const Borrow& asked);
  /// True if that frees something.
  bool on_message(Turn& turn, const Endpoint& from, const Repay& repaid);
  /// Ends the loans that were not renewed. True if that frees something.
  bool expire(Turn& turn);
  /// When the first of them ends; kNever if there is none.
  Time next() const;
  const std::vector<LoanOut>& out() const { return out_; }

 private:
  bool grant(Turn& turn, const Endpoint& from, const Borrow& asked);

  const WorkerParams& params_;
  Slots& slots_;
  std::vector<LoanOut> out_;
};

}  // namespace dunlin::sched
