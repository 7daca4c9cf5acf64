// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// The office in which a frontend drives jobs with replicas: it is the home of their log in one
/// epoch. A frontend of jobs without replicas has none, and `log` is 0.
struct LogOffice {
  std::uint64_t log = 0;
  std::uint32_t epoch = 0;
  std::vector<LogReplica> standbys;  ///< As workers are told, to ask if the home is silent.
  std::uint64_t version = 0;         ///< Of the set that has them.

  /// What numbers of attempts begin with: homes of two epochs never give the same number.
  AttemptNumber first_attempt() const { return log == 0 ? 0 : first_after(epoch - 1); }
  /// Likewise numbers of reservations.
  std::uint32_t first_probe() const { return log == 0 ? 0 : (epoch - 1) << 24; }
};

}  // namespace dunlin::sched
