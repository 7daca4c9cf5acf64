// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/job.h"
#include "sched/message.h"

namespace dunlin::sched {

/// What a task used lately.
struct MeasuredTask {
  TaskId task;
  AttemptNumber attempt = 1;
  Resources use;          ///< CPU and rates as means over the last period, memory now.
  bool has_disk = false;  ///< Its rates of disks are known, ...
  bool has_net =
      false;  ///< ... and those of networks. What is not known is taken to be its demand.
};

/// What a node used lately, as its driver measured it.
struct Measured {
  Resources node;  ///< All of it, by whomever: as of a task.
  std::vector<MeasuredTask> tasks;
};

}  // namespace dunlin::sched
