// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "sched/frontend/job_state.h"
#include "sched/frontend/job_table.h"

namespace dunlin::sched {

/// The first invariant of a job's books that does not hold, in words; empty if all do:
/// - a task is bound exactly while it runs or is being cancelled;
/// - the counts are those of the tasks;
/// - a task that waits is where the next question of a worker finds it;
/// - a group offers no task before its stage, and does not wait for one that failed;
/// - the job has finished exactly if all tasks are final.
std::optional<std::string> broken_invariant(const JobState& job);

/// The same for all jobs of a table, and: what it knows of their needs, of the jobs that they
/// wait for, and of commands for their ends and of standbys, is so now.
std::optional<std::string> broken_invariant(const JobTable& table);

}  // namespace dunlin::sched
