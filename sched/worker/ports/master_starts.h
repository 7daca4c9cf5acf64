// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "sched/turn.h"
#include "sched/worker/dispatch/user_places.h"
#include "sched/worker/frontends/frontend_ties.h"
#include "sched/worker/preemption.h"
#include "sched/worker/reservations.h"

namespace dunlin::sched {

class FollowUp;
class WorkerClasses;

/// A worker as the local master of its cell sees it: starts that no answer brings. The local master
/// says that a task is to start here, or that one which waits there may have room here.
class MasterStarts {
 public:
  /// All of them outlive this.
  MasterStarts(RunningTasks& running,
      Reservations& reservations,
      Preemption& preemption,
      const UserPlaces& users,
      WorkerClasses& classes,
      FrontendTies& frontends,
      FollowUp& follow_up)
      : running_(running),
        reservations_(reservations),
        preemption_(preemption),
        users_(users),
        classes_(classes),
        frontends_(frontends),
        follow_up_(follow_up) {}

  /// Starts the one task of `tasks`, which a local master says, if it fits and a reservation of its
  /// group would be served at once; or else if tasks of the class `over` may be stopped for it.
  /// True if it runs by now, or has run, or waits for the room of those that were stopped.
  bool start(Turn& turn,
      const Reserve& group,
      const Tasks& tasks,
      std::optional<ClassId> over = std::nullopt);
  /// Asks the frontend of a group for tasks, once, if a reservation of it would be served at once.
  /// False if it would not.
  bool ask(Turn& turn, const Reserve& group);
  /// True if that is so because its user has enough here: see `worker.slots_per_user`.
  bool is_crowded(const Reserve& group) const { return users_.crowded_by(group); }
  /// See Preemption::set_led(), and Preemption::uses().
  void set_led(bool led) { preemption_.set_led(led); }
  std::vector<ClassUse> class_uses() const { return preemption_.uses(); }

 private:
  /// The group speaks for its frontend.
  void end_turn(Time now, PeerId frontend);

  RunningTasks& running_;
  Reservations& reservations_;
  Preemption& preemption_;
  const UserPlaces& users_;
  WorkerClasses& classes_;
  FrontendTies& frontends_;
  FollowUp& follow_up_;
};

}  // namespace dunlin::sched
