// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "overlay/time.h"

namespace dunlin::sched {

/// The tasks that a slot ends within `time`: whole ones, or a part of one where none ends. A task
/// that runs in it already is one of them, and `ran` is how long it has run. A task takes
/// `task_seconds`, above 0, at speed 1, and that divided by the slot's `speed`.
inline double whole_tasks(
    overlay::Duration time, overlay::Duration ran, double speed, double task_seconds) {
  const double seconds = std::chrono::duration<double>(time + ran).count();
  const double tasks = seconds * speed / task_seconds;
  // A quotient that is whole may come out below that by rounding.
  return tasks < 1 ? tasks : std::floor(tasks * (1 + 1e-9));
}

}  // namespace dunlin::sched
