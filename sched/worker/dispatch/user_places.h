// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/message.h"

namespace dunlin::sched {

class PendingRequests;
class Queue;
class RunningTasks;
class Slots;
struct WorkerParams;

/// The places of a node that the small tasks of one user may take: those of less than a CPU, since
/// larger ones are bound by the CPUs there are. See `worker.slots_per_user`.
class UserPlaces {
 public:
  /// All of them outlive this.
  UserPlaces(const WorkerParams& params,
      const Slots& slots,
      const Queue& queue,
      const PendingRequests& requests,
      const RunningTasks& running)
      : params_(params),
        slots_(slots),
        queue_(queue),
        requests_(requests),
        running_(running) {}

  /// The tasks of `reserve` that its user may have here yet, beside those that run or are asked
  /// for.
  std::uint32_t left(const Reserve& reserve) const;
  /// True if no task of `reserve` starts here, whatever is free, because its user has enough.
  bool crowded_by(const Reserve& reserve) const { return left(reserve) == 0; }

 private:
  /// The places that are for others while these want any.
  std::uint32_t kept() const;
  std::uint64_t held_by(std::uint64_t user) const;
  /// True if something of another user runs here, is asked for or waits.
  bool others_beside(std::uint64_t user) const;

  const WorkerParams& params_;
  const Slots& slots_;
  const Queue& queue_;
  const PendingRequests& requests_;
  const RunningTasks& running_;
};

}  // namespace dunlin::sched
