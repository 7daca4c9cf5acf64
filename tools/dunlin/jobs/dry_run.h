// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tools/dunlin/globals.h"
#include "tools/dunlin/jobs/job_request.h"

namespace dunlin::cli {

/// Prints what would be submitted. Asks no agent. Returns the exit status.
Result<int> show_dry_run(const Globals& globals, const JobRequest& request);

/// Where the user is; "/" if that is not to be known.
std::string current_directory();

}  // namespace dunlin::cli
