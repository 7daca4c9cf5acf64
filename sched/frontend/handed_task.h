// SPDX-License-Identifier: MIT
#pragma once

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

/// A task that was bound to a worker when the home of its job handed the job over.
struct HandedTask {
  JobId job;
  Attempt running;
  Holder holder;
};

}  // namespace dunlin::sched
