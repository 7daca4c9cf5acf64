// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "node/control/control_session.h"
#include "node/control/json.h"
#include "sched/frontend/job_state.h"

// The command for the end of a job, as clients speak of it.
namespace dunlin::node {

class AgentServices;

/// Reads "on_end" of a job: the command as Job::end_command has it, empty if there is none.
/// Remembers in `args` what is wrong.
std::string parse_end_command(Args& args, const std::string& owner);

/// What became of it; null if the job has none.
Json end_command_json(const sched::JobState& job);

/// Tells what it wrote, as far as this node has it: at most `bytes_max` of the stream of `request`,
/// from its offset on.
PendingResult read_end_output(
    const sched::JobState& job, OutputRequest request, std::uint64_t bytes_max);

}  // namespace dunlin::node
