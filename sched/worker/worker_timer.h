// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "overlay/deadlines.h"

namespace dunlin::sched {

/// What a worker waits for.
enum class WorkerTimer : std::uint8_t {
  asking,   ///< A question to a frontend is due again.
  limits,   ///< A task has reached its time limit, or stood still for too long.
  renew,    ///< Frontends are to hear which tasks run.
  queue,    ///< Frontends are to hear that their reservations wait.
  outbox,   ///< Reports are due.
  trial,    ///< A sick node is to try a start.
  preempt,  ///< A task may be stopped that could not be before.
  loans,    ///< A loan ends, is to be renewed, or asked for again.
  count_
};

using WorkerTimers = overlay::Deadlines<WorkerTimer>;

}  // namespace dunlin::sched
