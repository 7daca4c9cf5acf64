// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sched/surroundings.h"
#include "sched/turn.h"
#include "sched/worker/health.h"
#include "sched/worker/params.h"

namespace dunlin::sched {

class Loans;
class Reservations;
class RunningTasks;
class Slots;

/// Says if the worker takes tasks: not while the node is sick, an operator drains it, or its
/// process is about to restart. A node that closes sends its queue away, one that falls sick gives
/// back the tasks that wait for room, too; tasks that run go on.
class Availability {
 public:
  /// All of them outlive this.
  Availability(const WorkerParams& params,
      Slots& slots,
      RunningTasks& running,
      Reservations& reservations,
      Loans& loans)
      : params_(params),
        slots_(slots),
        running_(running),
        reservations_(reservations),
        loans_(loans),
        health_(params) {}

  /// Those attempts have ended, and hold no slots any more.
  void on_exits(Turn& turn, const Surroundings& around, std::span<const Exit> exits);
  /// A judge of this node's health says why it is sick, or, by nothing, that it is well.
  void on_verdict(Turn& turn, const Surroundings& around, HealthJudge judge, std::string_view why);
  /// See Health::take_trial().
  bool take_trial(Time now) { return health_.take_trial(now); }
  /// False if that changes nothing.
  bool drain(Turn& turn, const Surroundings& around, bool on);
  /// The process ends soon, and its tasks run on.
  void pause(Turn& turn, const Surroundings& around);

  const Health& health() const { return health_; }
  /// An operator drains the node, or it is about to stop for good.
  bool is_leaving() const;
  /// What the leases of tasks are stretched by, while the worker pauses.
  Duration away() const { return away_; }

 private:
  /// Tells of a change of health, and closes or opens the node by it.
  void note_health(Turn& turn, const Surroundings& around, const std::string& before);

  const WorkerParams& params_;
  Slots& slots_;
  RunningTasks& running_;
  Reservations& reservations_;
  Loans& loans_;
  Health health_;
  Duration away_{0};
};

}  // namespace dunlin::sched
