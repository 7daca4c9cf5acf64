// SPDX-License-Identifier: MIT
#pragma once

#include "node/access/principal.h"
#include "node/control/agent_services.h"
#include "node/control/listing/job_listing.h"

namespace dunlin::node {

/// The answer of this agent to `jobs`, for those that it drives.
Json list_here(AgentServices& agent, const Principal& viewer, const JobQuery& query);

}  // namespace dunlin::node
