// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>
#include <variant>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine.h"
#include "sched/raft/raft_engine_wire.h"
#include "sched/raft/raft_members.h"

// What others say.
namespace dunlin::sched {

bool RaftEngine::meant_for_us(const Endpoint& from, const raft::Header& header) const {
  if (header.group != log_.state().group || header.receiver != log_.state().replica) return false;
  // A replica that has not heard of the sender's membership yet cannot tell.
  const raft_server* const sender = server(header.sender);
  if (sender == nullptr) return true;
  const auto endpoint = parse_address_text(sender->address);
  return endpoint && endpoint->id == from.id;
}

void RaftEngine::receive(const RaftTurn& turn, const Endpoint& from, raft::Rpc message) {
  const raft::Header header = header_of(message);
  if (!plausible(message) || !meant_for_us(from, header)) return;
  if (raft_.state == RAFT_UNAVAILABLE) return;
  auto* const append = std::get_if<raft::AppendEntries>(&message);
  const auto* const piece = std::get_if<raft::InstallSnapshot>(&message);
  const bool from_leader = append != nullptr || piece != nullptr;
  // There is one leader in a term, and it is here.
  if (from_leader && raft_.state == RAFT_LEADER && header.term == raft_.current_term) return;

  // It leads by itself, in a term of its own: see begin_term().
  if (std::holds_alternative<raft::TimeoutNow>(message) && is_sole_voter(members())) return;

  RaftSnapshot snapshot;
  RaftIndex reached = 0;
  if (append != nullptr) {
    if (!begin_at_log(*append)) return;
    reached = append->previous_index + append->entries.size();
  }
  if (piece != nullptr) {
    if (header.term < raft_.current_term) return;
    auto whole = pieces_.add(log_.state().group, *piece);
    if (!whole) return;
    reached = whole->index;
    snapshot = std::move(*whole);
  }
  act(turn, [&] {
    if (append != nullptr) make_way(*append);
    io_.learn(header.sender, from, raft_.configuration);
    const auto address = address_text(from);
    raft_message made = make_message(message, snapshot);
    made.server_address = address.c_str();
    if (std::holds_alternative<raft::RequestVote>(message)) {
      receive_vote_request(made);
    } else {
      io_.receive(made, reached);
    }
  });
}

// A replica may be a voter by an entry that is not here yet, or be dismissed by one that never will
// be committed, and the group may need its vote to get there. So it votes whatever it is by its own
// log: the candidate knows whether it counts (Ongaro 2014, section 4.1). libraft 0.15 lets none but
// voters vote, and one who never waits for an election never forgets its leader.
void RaftEngine::receive_vote_request(raft_message& message) {
  const std::span servers(raft_.configuration.servers, raft_.configuration.n);
  const auto voter = std::ranges::find(servers, RAFT_VOTER, &raft_server::role);
  raft_server* const self = server(log_.state().replica);
  if (voter == servers.end() || (self != nullptr && self->role == RAFT_VOTER)) {
    io_.receive(message, 0);
    return;
  }
  const raft_time now = io_.library()->time(io_.library());
  if (raft_.state == RAFT_FOLLOWER && now - raft_.election_timer_start >= raft_.election_timeout) {
    raft_.follower_state.current_leader.id = 0;
  }
  // It is asked as if it were one of the voters; to vote changes no members.
  const raft_id id = std::exchange(raft_.id, voter->id);
  io_.receive(message, 0);
  raft_.id = id;
}

// libraft 0.15 takes what begins with the first entry of all, and comes late, for the end of a log
// that begins later. What the snapshot stands for was committed: it is here.
bool RaftEngine::begin_at_log(raft::AppendEntries& message) const {
  if (message.previous_index + 1 >= log_.first()) return true;
  const RaftSnapshot& snapshot = *log_.snapshot();
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

// Where a change of members was in the log and is not to be, libraft 0.15 goes wrong twice: it
// looks for the change before it in a log that may begin later, and after a restart it does not go
// back to that at all. So the replica begins again from what it has stored, less what is to go.
void RaftEngine::make_way(const raft::AppendEntries& message) {
  if (message.header.term < raft_.current_term) return;
  if (log_.term_of(message.previous_index) != message.previous_term) return;
  RaftIndex index = message.previous_index;
  for (const raft::Entry& entry : message.entries) {
    if (++index > log_.last()) return;
    const RaftTerm term = log_.term_of(index);
    if (term == 0 || term == entry.term) continue;
    if (index <= raft_.commit_index || log_.last_change() < index) return;
    close();
    log_.truncate(io_.turn().store, index);
    (void)open();
    return;
  }
}

}  // namespace dunlin::sched
