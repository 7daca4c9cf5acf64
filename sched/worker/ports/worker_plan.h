// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sched/plan/message.h"
#include "sched/plan/node_speed.h"
#include "sched/worker/dispatch/dispatcher.h"
#include "sched/worker/follow_up.h"
#include "sched/worker/params.h"

namespace dunlin::sched {

/// A worker as the plan of its cell sees it: what the plan gives to jobs here, what of that no
/// reservation asks for, and how fast the node is.
class WorkerPlan {
 public:
  /// All of them outlive this.
  WorkerPlan(const WorkerParams& params, const WorkerParts& parts, FollowUp& follow_up)
      : params_(params),
        parts_(parts),
        follow_up_(follow_up) {}

  /// The slots that a plan gives to jobs here from now on, by rank; none: there is no plan.
  void set_allotments(Time now, std::span<const cell::Allotted> allotted);
  /// See PlannedSlots::lacking(). None on a node that is closed.
  std::vector<cell::Allotted> lacking_reservations() const;

  /// Plans are made: reports tell how fast the node is, by its tasks unless `set` says it, in
  /// thousandths. Or they are not, and reports tell nothing.
  void tell_speed(bool on, std::optional<std::uint32_t> set = std::nullopt) {
    tells_speed_ = on;
    set_speed_ = set;
  }
  /// In thousandths; 0 while it is not told.
  std::uint32_t speed() const {
    return tells_speed_ ? set_speed_.value_or(speed_.thousandths()) : 0;
  }
  /// A task has succeeded: see NodeSpeed::learn().
  void learn(Duration measured, Duration took) { speed_.learn(measured, took); }

 private:
  const WorkerParams& params_;
  const WorkerParts& parts_;
  FollowUp& follow_up_;
  NodeSpeed speed_;
  bool tells_speed_ = false;
  std::optional<std::uint32_t> set_speed_;
};

}  // namespace dunlin::sched
