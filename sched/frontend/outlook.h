// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "overlay/message.h"
#include "sched/frontend/job_state.h"
#include "sched/job.h"

namespace dunlin::sched {

/// When a job should have ended, by its frontend's clock; kNever if it has no deadline.
Time due_of(const JobState& job);

/// The least time from now until a job could have ended on these nodes, by the run times that its
/// user told (TaskGroup::duration): the tasks of its longest group, or chain of groups that wait
/// for each other, in rounds of as many as fit all nodes at once, were these idle. A bound from
/// below, never a promise: other jobs, named resources and constraints are not counted. 0 if no run
/// time was told or no node can hold a task.
Duration shortest_run(const Job& job, std::span<const overlay::Descriptor> nodes);

/// True if by what is known a job will miss its deadline with the tasks of a group that run now,
/// and need not: tasks that start at once would still end in time. Each takes `task_time`; 0 is
/// unknown, and then nothing is urgent. Requires that the group exists.
bool is_urgent(const JobState& job, std::uint16_t group, Duration task_time, Time now);

}  // namespace dunlin::sched
