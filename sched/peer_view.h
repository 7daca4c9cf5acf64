// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/peer.h"
#include "sched/worker/worker.h"

// A peer makes its parts when they first have something to do. Code that does not care reads
// through these functions: an absent part answers as an idle one would.
namespace dunlin::sched {

/// Every node that `peer` has heard of; an empty directory before the first.
const Directory& directory_of(const Peer& peer);
/// The jobs submitted at `peer`; a frontend without jobs before the first.
const Frontend& frontend_of(const Peer& peer);
/// The resources free at the node now; all that it has before its first task.
Resources free_of(const Peer& peer);
/// The number of tasks that run at the node.
std::uint32_t running_of(const Peer& peer);

}  // namespace dunlin::sched
