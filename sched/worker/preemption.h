// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/params.h"
#include "sched/worker/pending_requests.h"
#include "sched/worker/queue.h"
#include "sched/worker/running_tasks.h"
#include "sched/worker/slots.h"
#include "sched/worker/victims.h"

namespace dunlin::sched {

/// Stops tasks so that others, which matter more, get their room: see `worker.preempt`.
class Preemption {
 public:
  /// All of them outlive this.
  Preemption(const WorkerParams& params,
      const Slots& slots,
      Queue& queue,
      PendingRequests& requests,
      RunningTasks& running)
      : params_(params),
        slots_(slots),
        queue_(queue),
        requests_(requests),
        running_(running) {}

  /// True if tasks of `reserve` may stop others, whichever run here.
  bool is_entitled(const Reserve& reserve) const;
  /// True if a task of `reserve` may start here once some that run are stopped.
  bool can_make_room(const Reserve& reserve, Time now) const;
  /// Asks frontends for tasks for which room can be made: those that wait here and may not start
  /// otherwise. Nothing is stopped before one is bound.
  void ask(Turn& turn);
  /// Starts the first `count` of `tasks`, which answer `asked`; those that were asked for without
  /// room once others have been stopped. Returns how many it can; the rest has no room.
  std::size_t start(Turn& turn, const PendingRequest& asked, const Tasks& tasks, std::size_t count);
  /// When a task that runs may be stopped, and could not be before; kNever if no reservation waits
  /// for that.
  Time next(Time now) const;

 private:
  bool may_stop(const RunningTask& running, const Reserve& by, Time now) const;
  /// What is free, or will be once tasks have ended that were told to, and is not promised.
  Room room_for(const Reserve& reserve) const;
  std::optional<std::vector<std::size_t>> victims(
      const Reserve& reserve, std::int64_t count, const Room& room, Time now) const;

  const WorkerParams& params_;
  const Slots& slots_;
  Queue& queue_;
  PendingRequests& requests_;
  RunningTasks& running_;
};

}  // namespace dunlin::sched
