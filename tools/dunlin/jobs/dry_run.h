// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/job_request.h"

namespace dunlin::cli {

/// Prints the job that would be submitted. Asks no agent, so what only an agent knows (the nodes
/// that there are, jobs to wait for) is not checked. Returns the exit status.
Result<int> show_dry_run(const Globals& globals, const JobRequest& request);

/// What becomes of the job by its own words when it is held, late, or in the way of others: a line
/// for each that it says, with a label.
std::vector<std::string> fate_lines(const JobRequest& request);

/// The user's working directory. Fails with `usage` if it was removed, or no path leads to it: a
/// job must not run elsewhere without a word.
Result<std::string> current_directory();

}  // namespace dunlin::cli
