// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/result.h"

// The exit status of every command, in one place. `run` adds the task's own.
namespace dunlin::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;      ///< Something failed: a task, the agent, the system.
inline constexpr int kUsage = 2;        ///< The command line, a job file, or an impossible demand.
inline constexpr int kTimeout = 124;    ///< `wait --timeout` ran out; a task's time limit in `run`.
inline constexpr int kSignalled = 128;  ///< And the signal by which the user left.

/// What a command returns that failed so: 2 for what the user wrote, 1 for what happened.
constexpr int exit_status(const Error& error) {
  return error.kind == ErrorKind::usage ? kUsage : kFailure;
}

}  // namespace dunlin::cli
