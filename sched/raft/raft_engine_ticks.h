// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sched/raft/raft_library.h"
#include "sched/raft/raft_members.h"

// libraft is written for a tick every so often, and looks at each tick whether something is due. A
// peer of a large simulation cannot afford ticks at which nothing happens: these functions read
// from libraft's state when the next tick matters.
namespace dunlin::sched {

/// The entry of `replica` in the configuration; nullptr if it is no member.
raft_server* find_server(const ::raft& raft, ReplicaId replica);

/// When libraft next has something to do, in its milliseconds; empty if nothing is due until a
/// message comes.
std::optional<raft_time> next_tick(const ::raft& raft);

/// Moves the heartbeats of a leader together: followers that were written to at different times
/// are written to at one wake-up. Changes nothing while no heartbeat is due at `now`.
void align_heartbeats(::raft& raft, raft_time now);

}  // namespace dunlin::sched
