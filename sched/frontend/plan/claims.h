// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sched/frontend/job_table.h"
#include "sched/plan/message.h"

namespace dunlin::sched {

/// Adds what the jobs of `table` claim of a plan: those that go on and have tasks which may run. A
/// job on hold, or one that waits for others, claims for the tasks alone that are bound already. As
/// they were when JobTable::note_changes() was called last; it costs nothing for what is on hold.
void add_claims(const JobTable& table, Time now, std::vector<cell::Claim>& claims);

}  // namespace dunlin::sched
