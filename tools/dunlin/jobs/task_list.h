// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/job_choice.h"
#include "tools/dunlin/screen/table.h"

namespace dunlin::cli {

/// Calls `visit` for each task (Task of the control protocol) of a job that `selector` includes and
/// that is in `state` (empty: any), page by page, ascending. Stops when `visit` returns false.
Result<void> for_each_task(Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const std::string& state,
    const std::function<bool(const Json&)>& visit);

/// A table of tasks without a row, and a row of it: Task of the control protocol.
Table task_table();
/// What is known only at the end is "-" before it.
void add_task(Table& table, const Json& task);

/// What is to be listed of tasks.
struct TaskListing {
  std::string state;      ///< Only those in this state. Empty: all.
  bool attempts = false;  ///< Also those before the last one of each.
  ColumnChoice columns;
};

/// `dunlin job ID --tasks`: prints them. Returns the exit status.
Result<int> list_tasks(const Globals& globals,
    Connection& agent,
    const ChosenTasks& chosen,
    const TaskListing& listing);

/// A command that an agent tells, as one would type it into a shell.
std::string command_text(const Json& words);

}  // namespace dunlin::cli
