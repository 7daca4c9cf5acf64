// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include "overlay/time.h"

namespace dunlin::sched {

using overlay::Duration;

/// The rule by which a plan divides slots among jobs. Sources: `assured` is ours, the others are
/// Lin 2014, sections 5.1 to 5.4 and 6.3, as corrected in docs/design/plans.md.
enum class PlanPolicyName : std::uint8_t {
  priority,    ///< All to the job of highest priority, but for a reserve, of which each gets one.
  proportion,  ///< In proportion to the work that is left.
  workload,    ///< The fastest slots that do the work left within a set time.
  deadline,    ///< The fewest of the fastest slots that meet the deadline.
  edf,         ///< All to the earliest deadline.
  assured,     ///< One to each job, the rest to the earliest deadline.
};

/// The order in which jobs get slots that no policy asked for.
enum class SpareRule : std::uint8_t { priority, deadline };

/// The settings of a plan.
struct PlanParams {
  PlanPolicyName policy = PlanPolicyName::assured;
  SpareRule spare = SpareRule::deadline;
  double reserve =
      0.1;  ///< The part of all slots, in [0, 1], that `priority` keeps for the others.
  Duration horizon = std::chrono::minutes(1);  ///< The time within which `workload` does its work.
  friend bool operator==(const PlanParams&, const PlanParams&) = default;
};

}  // namespace dunlin::sched
