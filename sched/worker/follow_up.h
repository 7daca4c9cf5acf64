// SPDX-License-Identifier: MIT
#pragma once

#include "sched/turn.h"
#include "sched/worker/dispatch/dispatcher.h"
#include "sched/worker/params.h"
#include "sched/worker/worker_timer.h"

namespace dunlin::sched {

class Availability;
class Loans;
class Preemption;
class WorkerClasses;

/// What follows a change of a worker. Whatever frees slots or changes the queue is followed by
/// dispatch(), and whatever changes a time that a part waits for by schedule(), which comes last.
class FollowUp {
 public:
  /// All of them outlive this.
  FollowUp(const WorkerParams& params,
      const WorkerParts& parts,
      WorkerTimers& timers,
      Preemption& preemption,
      WorkerClasses& classes,
      Loans& loans,
      const Availability& availability)
      : params_(params),
        parts_(parts),
        timers_(timers),
        preemption_(preemption),
        classes_(classes),
        loans_(loans),
        availability_(availability) {}

  /// Gives the slots that are free to what is next: tasks that stand still, then what waits here.
  void dispatch(Turn& turn);
  /// Sets all timers.
  void schedule(Time now);
  /// The plan gives other slots than before: tasks may yield to others that could not be stopped
  /// then. That is looked at in a turn of its own, once.
  void replan(Time now);
  void end_replan() { replanned_ = false; }

 private:
  const WorkerParams& params_;
  const WorkerParts& parts_;
  WorkerTimers& timers_;
  Preemption& preemption_;
  WorkerClasses& classes_;
  Loans& loans_;
  const Availability& availability_;
  bool replanned_ = false;
};

}  // namespace dunlin::sched
