// SPDX-License-Identifier: MIT
#pragma once

#include "node/agent/agent_parts.h"
#include "node/net/transport.h"
#include "overlay/result.h"

namespace dunlin::node {

/// True if the agent listens on all addresses of this machine, and is not told which of them to
/// tell others.
bool chooses_address(const AgentOptions& options);

/// Where to listen, and what to tell others. Falls back to IPv4 on a kernel without IPv6, and sets
/// `parts.own_address`. Looks at interfaces and routes; asks no name server. Fails as
/// choose_own_address() does. Requires the settings alone.
Result<TransportOptions> network_options(AgentParts& parts);

}  // namespace dunlin::node
