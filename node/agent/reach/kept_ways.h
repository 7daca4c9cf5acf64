// SPDX-License-Identifier: MIT
#pragma once

#include "node/agent/agent_parts.h"

namespace dunlin::node {

/// Tells the transport how nodes were reached by the processes before this one, as the store has
/// it. Requires open parts; call before anything is sent.
void recall_ways(AgentParts& parts);

/// Keeps in the store how nodes are reached that do not answer where they say, as far as
/// `parts.unreachable` knows them, until they are reached there.
void keep_ways(AgentParts& parts);

}  // namespace dunlin::node
