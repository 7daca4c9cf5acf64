// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "overlay/result.h"
#include "sched/work.h"

// What a user says of a job for people: it changes nothing of how the job runs.
namespace dunlin::cli {

/// Adds labels as `--job-label` says them: "team=lab3". One of a key that is there takes its place.
/// Fails with `usage`.
Result<void> add_labels(const std::vector<std::string>& texts, std::vector<sched::Label>& labels);

/// Fails with `usage` if a comment is too long, or one of both is no UTF-8 text, or there are too
/// many labels.
Result<void> check_about(const std::string& comment, const std::vector<sched::Label>& labels);

}  // namespace dunlin::cli
