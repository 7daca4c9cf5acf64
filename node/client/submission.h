// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "node/client/frames.h"
#include "node/client/job.h"

namespace dunlin::client {

/// False of a text that is no JSON object, at a glance.
bool may_be_object(std::string_view text);
/// Reads the JSON text of a job to be submitted, cuts its lines into pieces if it is too large for
/// one message, and draws its key if it has none. Fails with DUNLIN_USAGE if it is no object, is
/// too large without its lines, or has members that are not a job's; whatever else is wrong with
/// it, the agent tells.
Problem read_submission(std::string_view text, Job& job, std::size_t message_max = kMessageMax);
/// True of "0123456789abcdef.12".
bool is_job_id(std::string_view id);
/// A number by chance, from the system.
unsigned draw_seed();

}  // namespace dunlin::client
