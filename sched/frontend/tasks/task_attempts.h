// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/kernel.h"

namespace dunlin::sched {

/// The attempts of one task that came to nothing, counted. Each attempt has one record in the store
/// and is counted once here, so that a restarted frontend counts the same, and no attempt number is
/// given twice. Memory: 12 bytes.
class TaskAttempts {
 public:
  TaskAttempts() = default;
  /// As restored: the members below.
  TaskAttempts(
      std::uint16_t failures, std::uint16_t losses, AttemptNumber ended, AttemptNumber lost)
      : failures_(failures),
        losses_(losses),
        ended_(ended),
        lost_(lost) {}

  /// Attempts that failed, and were made again.
  std::uint16_t failures() const { return failures_; }
  /// Attempts that came to nothing by no fault of the task.
  std::uint16_t losses() const { return losses_; }
  /// The last attempt with a record of its end; 0: none.
  AttemptNumber ended() const { return ended_; }
  /// The last attempt recorded as lost; 0: none. It may come back.
  AttemptNumber lost() const { return lost_; }

  /// The number that the next attempt gets, after so many restarts of the frontend. `base` is what
  /// numbers of the job's home begin with.
  AttemptNumber next(std::uint32_t restarts, AttemptNumber base = 0) const;
  /// True if `attempt` may be one that still runs: an earlier incarnation of the frontend gave it,
  /// or its lease ended in a partition. An attempt with a record of its end is not, nor is one that
  /// another was made after.
  bool may_return(AttemptNumber attempt, std::uint32_t restarts, AttemptNumber base = 0) const;

  /// An attempt ended without a result, and this is recorded. `failed`: by its own fault.
  void count_end(AttemptNumber attempt, bool failed);
  /// An attempt is given up, and this is recorded.
  void count_loss(AttemptNumber attempt);
  /// Attempts are forgiven from now on as if none had been made; numbers go on. Its user has the
  /// task run again, after `last`, the highest attempt.
  void begin_again(AttemptNumber last);
  /// An attempt turned up again. A loss that was counted for it counts no more.
  void find_again(AttemptNumber attempt);

  friend bool operator==(const TaskAttempts&, const TaskAttempts&) = default;

 private:
  std::uint16_t failures_ = 0;
  std::uint16_t losses_ = 0;
  AttemptNumber ended_ = 0;
  AttemptNumber lost_ = 0;
};

}  // namespace dunlin::sched
