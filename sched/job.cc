// SPDX-License-Identifier: MIT
#include "sched/job.h"

#include <numeric>

namespace dunlin::sched {

std::uint32_t Job::task_count() const {
  return std::accumulate(groups.begin(), groups.end(), std::uint32_t{0},
      [](std::uint32_t sum, const TaskGroup& group) { return sum + group.count; });
}

}  // namespace dunlin::sched
