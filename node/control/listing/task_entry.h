// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "node/control/json.h"

namespace dunlin::sched {
class JobState;
}

namespace dunlin::node {

class AgentServices;

/// Says in `task` which line of its group it got (`entry`), if the group has lines: people look for
/// the input that failed, not for a number. Of a job that has ended the lines are read from disk.
void add_entry(AgentServices& agent, const sched::JobState& job, std::uint32_t index, Json& task);

}  // namespace dunlin::node
