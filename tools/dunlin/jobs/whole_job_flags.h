// SPDX-License-Identifier: MIT
#pragma once

#include "tools/dunlin/jobs/job_flags.h"

namespace dunlin::cli {

/// Adds the flags about the job as a whole, which go with a job file too. `flags` must outlive
/// `app`.
void add_whole_job_flags(CLI::App& app, JobFlags& flags);

}  // namespace dunlin::cli
