// SPDX-License-Identifier: MIT
#pragma once

#include "overlay/result.h"

namespace dunlin::node {

struct AgentParts;

// The drain of this node at the word of an administrator, which outlives the agent.

/// Takes no tasks if the database says so. Requires that the peer is there.
Result<void> restore_drain(AgentParts& parts);
/// Ends the drain if its time has come by the wall clock.
void end_drain_in_time(AgentParts& parts);

}  // namespace dunlin::node
