// SPDX-License-Identifier: MIT
#pragma once

#include "sched/frontend/job_state.h"

namespace dunlin::sched {

/// The time that a task of a group will run: as those that finished did, else as the user says,
/// else by its pilot. `mean` is the mean task length that the frontend sees.
Duration task_time(const JobState& job, std::uint16_t group, Time now, Duration mean);

/// The same for all tasks of the job that wait, those of later stages included, one after the
/// other; for one alone of a group whose pilot waits.
Duration work_left(const JobState& job, Time now, Duration mean);

}  // namespace dunlin::sched
