// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/job_request.h"

namespace dunlin::cli {

/// Prints the job that would be submitted. Asks no agent. Returns the exit status.
Result<int> show_dry_run(const Globals& globals, const JobRequest& request);

/// The user's working directory. Fails with `usage` if it was removed, or no path leads to it: a
/// job must not run elsewhere without a word.
Result<std::string> current_directory();

}  // namespace dunlin::cli
