// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "sched/job.h"

namespace dunlin::node {

/// The executor runs the command for the end of a job as a task of the job of this index, which no
/// real one has, and this attempt.
inline constexpr std::uint32_t kEndCommandIndex = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kEndCommandAttempt = 1;

constexpr bool is_end_command(std::uint32_t index) {
  return index == kEndCommandIndex;
}

}  // namespace dunlin::node
