// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/params.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/worker_incarnation.h"

namespace dunlin::sched {

/// A loan that a task here has, or asks for.
struct LoanIn {
  std::uint64_t number = 0;
  TaskId task;
  AttemptNumber attempt = 1;
  std::uint16_t group = 0;
  Resources amounts;
  std::vector<Endpoint> sources;  ///< The nodes that have its input; one after the other is asked.
  std::size_t at = 0;             ///< Of those, the one that was asked, or has lent.
  bool has = false;
  bool refused = false;  ///< By one of those before, which may have room for it later.
  std::uint8_t tries = 1;
  Time again{};  ///< When to ask once more, or the next node; or to renew.
};

/// Answered for a task which waits for a loan.
struct LoanFate {
  TaskId task;
  AttemptNumber attempt = 1;
  /// 0: no node that has its input is there to lend, and the task starts as it is. Empty: one of
  /// them has no room for it now.
  std::optional<PeerId> lender{};
};

/// The loans of the tasks here with their input elsewhere: one node after the other that has the
/// input is asked, before the task starts. A node that is silent has nothing that could be taken
/// twice, so a task waits for none. Loans are renewed while the task is here, and repaid after.
class Borrower {
 public:
  /// Both outlive this.
  Borrower(const WorkerParams& params, const WorkerIncarnation& incarnation)
      : params_(params),
        incarnation_(incarnation) {}

  /// Asks for the loan that each task of `running` waits for, and repays those of tasks that are
  /// not there any more.
  void follow(Turn& turn, const std::vector<RunningTask>& running);
  std::optional<LoanFate> on_message(Turn& turn, const Endpoint& from, const Lent& told);
  /// Asks again, asks the next node, gives up or renews, wherever it is time for that. Returns what
  /// is waited for no more.
  std::vector<LoanFate> wake(Turn& turn);
  /// When that is; kNever if there is nothing to do.
  Time next() const;
  /// True if no node lent to a task of the group lately: none of them shall be asked for that has
  /// its input elsewhere.
  bool rests(const JobId& job, std::uint16_t group, Time now) const;
  const std::vector<LoanIn>& loans() const { return loans_; }

 private:
  struct Rest {
    JobId job;
    std::uint16_t group = 0;
    Time until{};
  };

  void ask(Turn& turn, LoanIn& loan) const;
  /// Asks the node that the loan has come to, or one after it, that is not known as silent. False
  /// if there is none.
  bool ask_on(Turn& turn, LoanIn& loan);
  bool ask_next(Turn& turn, LoanIn& loan);
  /// No node lends.
  LoanFate conclude(Turn& turn, std::size_t i);
  void note_silent(PeerId node, Time now);
  std::uint64_t next_number() { return std::uint64_t{incarnation_.number} << 32 | ++last_; }

  const WorkerParams& params_;
  const WorkerIncarnation& incarnation_;
  std::uint32_t last_ = 0;
  std::vector<LoanIn> loans_;
  std::deque<Rest> rests_;
  std::deque<std::pair<PeerId, Time>> silent_;  ///< They left questions unanswered: until when.
};

}  // namespace dunlin::sched
