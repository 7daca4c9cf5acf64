// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/directory/directory.h"
#include "sched/node_spec.h"
#include "sched/replica/entry.h"

namespace dunlin::sched::logs {

/// Nodes that could keep a copy of a log, the best first, at most `max`: those that are up and
/// well, on other machines than `self`. Chance decides by log and node (rendezvous hashing, Thaler
/// and Ravishankar 1998), so that each log has its own and all nodes get some; nodes in another
/// rack than `self`, by the attribute of that name, go first; of each machine one goes before a
/// second of any.
replica::Set candidates(
    const Directory& directory, const NodeSpec& self, std::uint64_t log, Time now, std::size_t max);

}  // namespace dunlin::sched::logs
