// SPDX-License-Identifier: MIT
#pragma once

#include "sched/surroundings.h"
#include "sched/turn.h"

// The walk of a reservation from worker to worker, and what frontends learn of it.
namespace dunlin::sched {

/// Sends `reserve` one hop further, or, at the end of its walk, back to the node where it would
/// wait the shortest of those that it met. `self` is the node it is at. False if it stays: it has
/// settled, or there is nowhere to go and this node is as good as any.
bool pass_on(Turn& turn, const Surroundings& around, PeerId self, const Reserve& reserve);

/// The report that goes to the frontend with the first answer to a reservation: how many hops were
/// greedy, and whether the last one led to a start. It is cleared in `walk`, so that later answers
/// to the same reservation report nothing a second time.
Walk consume_walk_report(Walk& walk, bool started);

}  // namespace dunlin::sched
