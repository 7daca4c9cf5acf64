// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/job_choice.h"

namespace dunlin::cli {

/// Calls `visit` for each task (Task of the control protocol) of a job that `selector` includes and
/// that is in `state` (empty: any), page by page, ascending. Stops when `visit` returns false.
Result<void> for_each_task(Connection& agent,
    const JobRef& job,
    const TaskSelector& selector,
    const std::string& state,
    const std::function<bool(const Json&)>& visit);

/// `dunlin job ID --tasks`: prints them, with `attempts` also those before the last one of each.
/// Returns the exit status.
Result<int> list_tasks(const Globals& globals,
    Connection& agent,
    const ChosenTasks& chosen,
    const std::string& state,
    bool attempts);

/// A command that an agent tells, as one would type it into a shell.
std::string command_text(const Json& words);

}  // namespace dunlin::cli
