// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "sched/job.h"
#include "tools/dunlin/connection/json.h"
#include "tools/dunlin/screen/progress.h"
#include "tools/dunlin/screen/terminal.h"

// How what an agent says about jobs, tasks and nodes is put for people.
namespace dunlin::cli {

/// RESOURCES of the control protocol.
sched::Resources resources_of(const Json& json);
/// "1 cpu, 100 MiB"; "-" if it is nothing.
std::string demand_text(const Json& resources);
/// COUNTS of the control protocol; a task that is being cancelled still runs.
TaskCounts counts_of(const Json& counts);
double seconds_of(const Json& object, std::string_view key);

/// "exit 1", "signal 9 (Killed)", "time limit", "out of memory", "command not found" ...
std::string outcome_text(const Json& task);
/// What a shell would make of a finished task; 1 if its agent does not say.
int status_of(const Json& task);

/// Of a state of a job, a task or a node.
Colour colour_of_state(std::string_view state);

/// Signs a table: one line below it.
void print(const std::string& text);

}  // namespace dunlin::cli
