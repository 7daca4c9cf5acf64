// SPDX-License-Identifier: MIT
#pragma once

#include "node/access/accounts.h"
#include "node/access/principal.h"
#include "node/control/agent_services.h"
#include "sched/frontend/user_holdings.h"

namespace dunlin::node {

/// Fails with `forbidden` if the user may not ask for that priority.
Result<void> check_priority(
    const AgentServices& agent, const Principal& who, std::int16_t priority);
/// Fails with `quota` if `owner` may not have so much more of unfinished jobs here. An
/// administrator is not bound.
Result<void> check_quota(const AgentServices& agent,
    const Principal& who,
    const std::string& owner,
    const sched::UserHolding& more);
/// Fails with `quota` if the jobs that come in pieces to that account are more bytes by now than
/// its user may have of unfinished jobs. An administrator is not bound.
Result<void> check_uploads(
    const AgentServices& agent, const Principal& who, const Account& account);
/// Fails with `forbidden` if `who` asks for a higher priority, with `quota` if it would have more
/// unfinished jobs, tasks or bytes of jobs at this agent, than users may (agent.priority_max,
/// jobs_per_user, tasks_per_user, job_mebibytes_per_user). Administrators always may. Requires that
/// the job has its owner.
Result<void> check_limits(const AgentServices& agent, const Principal& who, const sched::Job& job);

}  // namespace dunlin::node
