// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sched/directory.h"
#include "sched/frontend/frontend.h"
#include "sched/peer.h"
#include "sched/worker/worker.h"

// A peer makes its parts when they first have something to do. Readers that do not care whether a
// part is there yet ask here: an absent part answers as an idle one would.
namespace dunlin::sched {

/// Every node that `peer` has heard of; an empty directory before it heard of any.
const Directory& directory_of(const Peer& peer);
/// The jobs submitted at `peer`; a frontend without jobs before the first.
const Frontend& frontend_of(const Peer& peer);
/// What is free at the node now; all that it has before its first task.
Resources free_of(const Peer& peer);
/// How many tasks run at the node.
std::uint32_t running_of(const Peer& peer);

}  // namespace dunlin::sched
