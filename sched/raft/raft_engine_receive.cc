// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>
#include <variant>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine.h"
#include "sched/raft/raft_engine_inbox.h"
#include "sched/raft/raft_engine_ticks.h"
#include "sched/raft/raft_engine_wire.h"

// Messages from other replicas. Three kinds are stopped here before libraft sees them: messages
// that no correct replica sends, messages for another replica or another group, and messages that
// are right but meet a fault of libraft 0.15 (each has its reason beside it).
namespace dunlin::sched {

void RaftEngine::receive(const RaftTurn& turn, const Endpoint& from, raft::Rpc message) {
  const raft::Header header = header_of(message);
  if (!plausible(message) || !meant_for(log_, raft_, from, header)) return;
  if (raft_.state == RAFT_UNAVAILABLE) return;
  auto* const append = std::get_if<raft::AppendEntries>(&message);
  const auto* const piece = std::get_if<raft::InstallSnapshot>(&message);
  const bool from_leader = append != nullptr || piece != nullptr;
  // A term has one leader, and in this term it is this replica.
  if (from_leader && raft_.state == RAFT_LEADER && header.term == raft_.current_term) return;

  // A sole voter begins a term of its own to lead: see begin_term().
  if (std::holds_alternative<raft::TimeoutNow>(message) &&
      is_sole_voter(members(), log_.state().replica))
    return;

  RaftSnapshot snapshot;
  RaftIndex reached = 0;
  if (append != nullptr) {
    if (!begin_at_log(log_, *append)) return;
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

// A replica may be a voter by an entry that it does not have yet, or be dismissed by an entry that
// will never be committed, and the group may need its vote to get there. So it votes whatever its
// own log says of it: the candidate knows if the vote counts (Ongaro 2014, section 4.1). libraft
// 0.15 lets only voters vote, and a replica that never waits for an election never forgets its
// leader.
void RaftEngine::receive_vote_request(raft_message& message) {
  const std::span servers(raft_.configuration.servers, raft_.configuration.n);
  const auto voter = std::ranges::find(servers, RAFT_VOTER, &raft_server::role);
  const raft_server* const self = find_server(raft_, log_.state().replica);
  if (voter == servers.end() || (self != nullptr && self->role == RAFT_VOTER)) {
    io_.receive(message, 0);
    return;
  }
  const raft_time now = io_.library()->time(io_.library());
  if (raft_.state == RAFT_FOLLOWER && now - raft_.election_timer_start >= raft_.election_timeout) {
    raft_.follower_state.current_leader.id = 0;
  }
  // It is asked as if it were one of the voters. To vote changes no members.
  const raft_id id = std::exchange(raft_.id, voter->id);
  io_.receive(message, 0);
  raft_.id = id;
}

// Where a change of members is overruled, the replica begins again from what it has stored before
// it: libraft 0.15 cannot go back by itself.
void RaftEngine::make_way(const raft::AppendEntries& message) {
  const auto from = overruled_change(log_, raft_, message);
  if (!from) return;
  close();
  log_.truncate(io_.turn().store, *from);
  (void)open();
}

}  // namespace dunlin::sched
