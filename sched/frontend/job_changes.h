// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "overlay/result.h"
#include "sched/frontend/job_state.h"
#include "sched/turn.h"

namespace dunlin::sched {

/// Changes a job, stores it and tells of it. Does nothing if the job is that way already.
void change(Turn& turn, JobState& job, const JobChange& change);

/// Fails (`conflict`) if these tasks cannot run again: see Frontend::retry(). Requires that the job
/// has them.
Result<void> check_retry(const JobState& job, std::span<const std::uint32_t> tasks, Time now);
/// Has tasks run again, stores it and tells of it. Requires check_retry(); see JobState::retry().
void retry(Turn& turn, JobState& job, std::span<const std::uint32_t> tasks, const Job* stored);

/// Fails (`conflict`) if one of these tasks runs and cannot be attempted again: see
/// TaskGroup::once. Requires that the job has them.
Result<void> check_requeue(const JobState& job, std::span<const std::uint32_t> tasks);

/// True if the command has ended, and not with status 0.
inline bool has_failed(const EndCommand& command) {
  return command.run == EndRun::ended &&
      (command.outcome != Outcome::exited || command.status != 0);
}

/// "job 12 has ended; `dunlin retry 12` runs tasks of it again".
std::string has_ended(const JobState& job);

}  // namespace dunlin::sched
