// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/message.h"

namespace dunlin::sched {

/// A worker that says that it runs an attempt.
struct Holder {
  Endpoint worker;
  std::uint32_t incarnation = 1;
  Duration away{0};        ///< It may be silent for so much longer than a lease.
  bool suspended = false;  ///< The attempt stands still there.
};

/// A task that was bound to a worker when the home of its job handed the job over.
struct HandedTask {
  JobId job;
  Attempt running;
  Holder holder;
};

}  // namespace dunlin::sched
