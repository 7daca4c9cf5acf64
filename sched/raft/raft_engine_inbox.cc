// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine_inbox.h"

#include <algorithm>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine_ticks.h"
#include "sched/raft/raft_engine_wire.h"

// A datagram may come late, twice, or from an incarnation of a node that is over. libraft compares
// terms and indices, but takes two things for granted: that a message never begins before the log,
// and that a change of members in the log is never overruled once the log was cut at a snapshot.
// Both happen here, so both are looked for before libraft is called.
namespace dunlin::sched {

bool meant_for(
    const RaftLog& log, const ::raft& raft, const Endpoint& from, const raft::Header& header) {
  if (header.group != log.state().group || header.receiver != log.state().replica) return false;
  const raft_server* const sender = find_server(raft, header.sender);
  if (sender == nullptr) return true;
  const auto endpoint = parse_address_text(sender->address);
  return endpoint && endpoint->id == from.id;
}

// libraft 0.15 takes a late message that begins with the first entry of all for the end of a log
// that begins later. The snapshot stands for committed entries, so they are here.
bool begin_at_log(const RaftLog& log, raft::AppendEntries& message) {
  if (message.previous_index + 1 >= log.first()) return true;
  const RaftSnapshot& snapshot = *log.snapshot();
  const std::uint64_t known = snapshot.index - message.previous_index;
  if (message.entries.size() < known || message.entries[known - 1].term != snapshot.term) {
    return false;
  }
  message.entries.erase(
      message.entries.begin(), message.entries.begin() + static_cast<std::ptrdiff_t>(known));
  message.previous_index = snapshot.index;
  message.previous_term = snapshot.term;
  return true;
}

// libraft 0.15 goes wrong twice at an overruled change: it looks for the change before it in a log
// that may begin later, and after a restart it does not go back to that change at all.
std::optional<RaftIndex> overruled_change(
    const RaftLog& log, const ::raft& raft, const raft::AppendEntries& message) {
  if (message.header.term < raft.current_term) return std::nullopt;
  if (log.term_of(message.previous_index) != message.previous_term) return std::nullopt;
  RaftIndex index = message.previous_index;
  for (const raft::Entry& entry : message.entries) {
    if (++index > log.last()) return std::nullopt;
    const RaftTerm term = log.term_of(index);
    if (term == 0 || term == entry.term) continue;
    if (index <= raft.commit_index || log.last_change() < index) return std::nullopt;
    return index;
  }
  return std::nullopt;
}

bool is_sole_voter(std::span<const RaftMember> members, ReplicaId replica) {
  const auto self = std::ranges::find(members, replica, &RaftMember::replica);
  return self != members.end() && self->role == MemberRole::voter &&
      std::ranges::count(members, MemberRole::voter, &RaftMember::role) == 1;
}

std::vector<RaftMember> stored_members(const RaftLog& log) {
  if (const RaftIndex change = log.last_change(); change != 0) {
    return decode_members(log.entries()[change - log.first()].data).value();
  }
  return log.snapshot() ? log.snapshot()->members : std::vector<RaftMember>();
}

}  // namespace dunlin::sched
