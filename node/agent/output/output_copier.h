// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "node/agent/agent_parts.h"
#include "sched/turn.h"

namespace dunlin::node {

/// Sends the end of what these attempts wrote to the home of their job and its standbys, if the job
/// has any: see agent.output_copy. Before the peer hears of the exits, since it knows where to.
/// What is lost on the way, or no longer than it is worth, stays at this node alone.
void copy_output(AgentParts& parts, std::span<const sched::Exit> exits);

/// Keeps such a copy, if this node has a part in the log that it names.
void keep_copy(AgentParts& parts, const OutputCopy& copy);

}  // namespace dunlin::node
