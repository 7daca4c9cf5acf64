// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "sched/raft/message.h"
#include "sched/raft/raft_library.h"
#include "sched/raft/raft_log.h"
#include "sched/raft/raft_members.h"

// Checks of what other replicas send, before libraft sees it. libraft 0.15 trusts its callers in
// places where a late or a lost message makes it fail.
namespace dunlin::sched {

/// True if `header` names this replica, and comes from the node at which its sender is a member. A
/// sender of which this replica has not heard yet is believed: its membership may be on the way.
bool meant_for(
    const RaftLog& log, const ::raft& raft, const Endpoint& from, const raft::Header& header);

/// Takes from `message` the entries that the snapshot stands for. False if no entry is left that
/// could be new, or if the message contradicts what is committed.
bool begin_at_log(const RaftLog& log, raft::AppendEntries& message);

/// The first stored entry that `message` overrules, if a change of members is among those that go.
/// The engine must then begin again from what is stored before it; empty if libraft manages alone.
std::optional<RaftIndex> overruled_change(
    const RaftLog& log, const ::raft& raft, const raft::AppendEntries& message);

/// True if `replica` is the only voter among `members`.
bool is_sole_voter(std::span<const RaftMember> members, ReplicaId replica);

/// The members as of the last entry stored, committed or not.
std::vector<RaftMember> stored_members(const RaftLog& log);

}  // namespace dunlin::sched
