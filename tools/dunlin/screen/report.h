// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "sched/job.h"
#include "tools/dunlin/json.h"
#include "tools/dunlin/screen/progress.h"
#include "tools/dunlin/screen/terminal.h"

// The words in which an agent's answers about jobs, tasks and nodes are shown to people.
namespace dunlin::cli {

/// Reads Resources of the control protocol.
sched::Resources resources_of(const Json& json);
/// "1 cpu, 100 MiB"; "-" if it is nothing.
std::string demand_text(const Json& resources);
/// The demand of a group, and what of it is an estimate.
std::string group_demand_text(const Json& group, const std::string& after = "");
/// Reads Counts of the control protocol. A task that is being cancelled still runs.
TaskCounts counts_of(const Json& counts);
double seconds_of(const Json& object, std::string_view key);

/// " 'parts.txt'": the line that a task got, behind its number; empty if it got none.
std::string entry_text(const Json& task);

/// "exit 1", "signal 9 (Killed)", "time limit", "out of memory", "command not found" ...
std::string outcome_text(const Json& task);
/// `ending`, an outcome_text(), with the detail that the worker told, if it did.
std::string ending_text(const Json& task, const std::string& ending);
/// The exit status that a shell would give for a finished task; 1 if its agent does not say.
int status_of(const Json& task);

/// The colour of a state of a job, a task or a node.
Colour colour_of_state(std::string_view state);

/// Prints a line below a table.
void print(const std::string& text);

}  // namespace dunlin::cli
