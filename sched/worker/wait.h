// SPDX-License-Identifier: MIT
#pragma once

#include "sched/worker/dispatch/dispatcher.h"

namespace dunlin::sched {

/// The time that a reservation of `demand` would wait at this worker, as far as can be told:
/// until there is room for one task, and until `work_ahead` (nanoseconds × milli-CPU) is done. At
/// most kTaskTimeMax is added for the latter.
Duration expected_wait(
    const WorkerParts& parts, const Resources& demand, double work_ahead, Time now);

}  // namespace dunlin::sched
