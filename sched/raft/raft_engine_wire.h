// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sched/raft/raft_library.h"
#include "sched/raft/raft_store.h"

// Between libraft's structs, whose memory is malloc()'s and whose owner changes with every call,
// and ours. What libraft is to own is made by these functions alone.
namespace dunlin::sched {

/// A copy for libraft. Its base is never null.
raft_buffer make_buffer(std::string_view bytes);
inline std::string_view view_of(const raft_buffer& buffer) {
  return {static_cast<const char*>(buffer.base), buffer.len};
}

/// For libraft to own, or to give back to raft_configuration_close().
raft_configuration make_configuration(std::span<const RaftMember> members);
/// Members with an address that is none of ours are left out: there are none.
std::vector<RaftMember> members_of(const raft_configuration& configuration);

/// Term, kind and data; the log adds the rest.
RaftEntry entry_of(const raft_entry& entry);
/// Entries as libraft wants them: one array, and one block of memory for what they hold.
raft_entry* make_entries(std::span<const RaftEntry* const> entries);

RaftSnapshot snapshot_of(const raft_snapshot& snapshot);
/// For libraft to own.
raft_snapshot* make_snapshot(const RaftSnapshot& snapshot);

/// What libraft wants sent, in as many messages as its size takes. `header` lacks the term.
std::vector<raft::Rpc> rpcs_of(const raft_message& message, raft::Header header);
/// What came, for libraft to own. Requires plausible(), and that a snapshot is whole: its data are
/// in `snapshot`. The caller adds the sender's address.
raft_message make_message(const raft::Rpc& message, const RaftSnapshot& snapshot);

}  // namespace dunlin::sched
