// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "node/client/job.h"

namespace dunlin::client {

/// Reads the JSON text of a job to be submitted, and draws its key if it has none. Fails with
/// DUNLIN_USAGE if it is no object, is too large for one message, or has members that are not a
/// job's; whatever else is wrong with it, the agent tells.
Problem read_submission(std::string_view text, Job& job);
/// True of "0123456789abcdef.12".
bool is_job_id(std::string_view id);
/// A number by chance, from the system.
unsigned draw_seed();

}  // namespace dunlin::client
