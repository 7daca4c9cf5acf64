// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "sched/kernel.h"
#include "sched/message.h"

namespace dunlin::sched {

/// The state of a task, as its frontend sees it.
enum class TaskState : std::uint8_t {
  waiting,     ///< Waits for a worker to ask.
  launched,    ///< Bound to one worker.
  cancelling,  ///< Bound, and asked to stop; not yet seen dead.
  succeeded,
  failed,
  cancelled,
};
inline constexpr std::size_t kTaskStates = 6;
inline constexpr std::string_view kTaskStateWords[kTaskStates] = {
    "waiting", "running", "cancelling", "done", "failed", "cancelled"};

// A task changes state by messages that may be late or repeated. A table of what may follow what
// turns each impossible step into an error at its cause.
/// The transition table: kMayBecome[from][to].
inline constexpr std::array<std::array<bool, kTaskStates>, kTaskStates> kMayBecome = {{
    // waiting launched cancelling succeeded failed cancelled
    {false, true, false, true, true, true},   // waiting: a report of a lost attempt may still come
    {true, false, true, true, true, false},   // launched: back to waiting if refused, lost, retried
    {false, false, false, true, true, true},  // cancelling: it may end by itself first
    {true, false, false, false, false, false},  // final: it waits if its user has it run again
    {true, false, false, false, false, false},
    {true, false, false, false, false, false},
}};

constexpr bool may_become(TaskState from, TaskState to) {
  return kMayBecome[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

constexpr bool is_final(TaskState state) {
  return state >= TaskState::succeeded;
}

/// True if an attempt that ended so makes the task a success.
constexpr bool is_success(const Report& report) {
  return report.outcome == Outcome::exited && report.status == 0;
}

/// True if an attempt that ended so tells nothing about the task: its node could not start it, or
/// lost it.
constexpr bool is_node_fault(const Report& report) {
  return report.outcome == Outcome::spawn_failed && report.cause != Cause::task;
}

/// True if a write failed with this errno because of the disk that it went to, not of the writer.
constexpr bool is_want_of_room(std::int32_t error) {
  return error == ENOSPC || error == EDQUOT || error == EROFS || error == EIO;
}

/// True if its node lost it because its output could not be written: then the status is the errno.
constexpr bool is_disk_loss(const Report& report) {
  return report.outcome == Outcome::spawn_failed && report.cause == Cause::lost &&
      is_want_of_room(report.status);
}

/// True if an attempt that ended so is a failure of the task: it spends a retry.
constexpr bool is_own_failure(const Report& report) {
  return !is_success(report) && report.outcome != Outcome::killed &&
      report.outcome != Outcome::preempted && report.outcome != Outcome::lost &&
      !is_node_fault(report);
}

/// The exit status a shell would show: the task's own, 128 + signal, 127, 126; 124 for a time
/// limit.
int shell_status(Outcome outcome, std::int32_t status);

}  // namespace dunlin::sched
