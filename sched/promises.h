// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <variant>

#include "sched/cell/message.h"
#include "sched/message.h"

namespace dunlin::sched {

/// True if a message may rest on a record of its sender: a driver lets it leave only when that is
/// durable. Workers keep no records, but that they are drained. A standby acknowledges what its
/// disk has; a home sends before its own disk has it. Of what frontends say,
/// - a reservation names no task, and one that asks for a task of a job which was lost gets none;
/// - to go on with a task (RenewAck), and to drop or rank reservations, is right whatever becomes
///   of the frontend.
/// - a launch names tasks of a job that may be lost, and then they are stopped. But a stage rests
/// on
///   the ends of the tasks before it, and an attempt after the first one on the record of that: a
///   later life that lacks it would give another attempt the same number.
/// So the leases of tasks do not wait for a disk. That a job has ended is told when it is on disk:
/// other jobs begin upon it.
inline bool rests_on_record(const Message& message) {
  // A standby must be able to say that its disk fails.
  const auto* const appended = std::get_if<LogAppended>(&message);
  if (appended != nullptr) return !appended->trouble;
  const auto* const launch = std::get_if<LaunchTasks>(&message);
  if (launch != nullptr) {
    return launch->staged || std::ranges::any_of(launch->tasks.tasks, [](const Assignment& task) {
      return number_of(task.attempt) > 1;
    });
  }
  return std::holds_alternative<Tasks>(message) || std::holds_alternative<DoneAck>(message) ||
      std::holds_alternative<Kill>(message) || std::holds_alternative<JobEnd>(message) ||
      std::holds_alternative<DrainReply>(message);
}

/// Messages of cells rest on records of books, all but a replica's wish about its log. That one
/// rests on records of jobs: a home writes down that it wants another set before it says so, or a
/// later life of it would not wait for a set that the books may have by then.
inline bool rests_on_record(const cell::Message& message) {
  return std::holds_alternative<cell::LogRequest>(message);
}

}  // namespace dunlin::sched
