// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "sched/message.h"

namespace dunlin::sched {

/// The office in which a frontend gave tasks, as a worker keeps it beside them.
struct TaskLog {
  std::uint64_t log = 0;  ///< 0: the job has no replicas.
  std::uint32_t epoch = 0;
  std::vector<LogReplica> standbys{};
  std::uint64_t version = 0;  ///< Of the set that has them; 0: unknown, perhaps of old.
  friend bool operator==(const TaskLog&, const TaskLog&) = default;
};

}  // namespace dunlin::sched
