// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sched/raft/raft_library.h"
#include "sched/raft/raft_store.h"

// Conversions between libraft's structs and ours. libraft's memory is malloc()'s, and its owner
// changes with every call. Only these functions make what libraft is to own.
namespace dunlin::sched {

/// A copy for libraft to own. Its base is never null.
raft_buffer make_buffer(std::string_view bytes);
inline std::string_view view_of(const raft_buffer& buffer) {
  return {static_cast<const char*>(buffer.base), buffer.len};
}

/// libraft owns it, or the caller gives it back to raft_configuration_close().
raft_configuration make_configuration(std::span<const RaftMember> members);
/// The members. One with an address that is none of ours would be left out; there are none.
std::vector<RaftMember> members_of(const raft_configuration& configuration);

/// Takes over term, kind and data; the log adds the rest.
RaftEntry entry_of(const raft_entry& entry);
/// The entries as libraft wants them: one array, and one block of memory for their contents.
raft_entry* make_entries(std::span<const RaftEntry* const> entries);

RaftSnapshot snapshot_of(const raft_snapshot& snapshot);
/// A copy for libraft to own.
raft_snapshot* make_snapshot(const RaftSnapshot& snapshot);

/// Turns a message of libraft into as many messages of ours as its size takes. `header` lacks the
/// term.
std::vector<raft::Rpc> rpcs_of(const raft_message& message, raft::Header header);
/// Turns a message of ours into one that libraft is to own. Requires plausible(), and that a
/// snapshot is whole: its data are in `snapshot`. The caller adds the sender's address.
raft_message make_message(const raft::Rpc& message, const RaftSnapshot& snapshot);

}  // namespace dunlin::sched
