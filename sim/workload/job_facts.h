// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "overlay/time.h"
#include "sched/job.h"

namespace dunlin::sim {

/// The facts that a workload knows of a job; no scheduler is told any but priority and deadline.
struct JobFacts {
  std::uint64_t key = 0;  ///< Names the job within its workload.
  /// The key of the whole job that this is, or that this is a stage of; 0: none is told apart.
  std::uint64_t whole = 0;
  std::uint32_t stages = 1;       ///< How many parts the whole job has, of which this is one ...
  std::uint32_t whole_tasks = 0;  ///< ... and how many tasks together; 0: as this part.
  std::uint64_t family = 0;       ///< Of its trace: of the same job there; 0: it is told by none.
  /// The longest of its tasks: no scheduler can finish the job sooner.
  overlay::Duration longest{0};
  overlay::Duration mean{0};   ///< The mean of its tasks: tells short jobs from long ones.
  std::uint32_t class_id = 0;  ///< The class it belongs to; 0: none.
  bool constrained = false;    ///< Its tasks do not run on just any machine.
  std::int16_t priority = sched::kPriorityDefault;
  std::optional<overlay::Duration> deadline;  ///< After the submit.
  /// When its user handed it in: before the submit, if others had to end first. Empty: then. It
  /// does not depend on the scheduler, so it decides whether the job is measured.
  std::optional<overlay::Time> arrived = {};
};

}  // namespace dunlin::sim
