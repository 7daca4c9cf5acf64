// SPDX-License-Identifier: MIT
#include "sched/frontend/frontend.h"

// The part of a frontend in plans: its jobs' claims are read from its table (plan_claims.cc), and a
// worker that has slots for one of them and no reservation of it says so here.
namespace dunlin::sched {

void Frontend::invite(Turn& turn, const Endpoint& worker, const JobId& id) {
  const JobState* const job = find(id);
  if (job == nullptr || job->finished() || turn.now < job->held_until()) return;
  prober_.invite(turn, *job, worker);
  schedule(turn.now);
}

}  // namespace dunlin::sched
