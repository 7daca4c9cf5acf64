// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/time.h"

namespace dunlin::sim {

/// The facts that a workload knows of a job and no scheduler is told.
struct JobFacts {
  std::uint64_t key = 0;  ///< Names the job within its workload.
  /// The longest of its tasks: no scheduler can finish the job sooner.
  overlay::Duration longest{0};
  overlay::Duration mean{0};   ///< The mean of its tasks: tells short jobs from long ones.
  std::uint32_t class_id = 0;  ///< The class it belongs to; 0: none.
  bool constrained = false;    ///< Its tasks do not run on just any machine.
};

}  // namespace dunlin::sim
