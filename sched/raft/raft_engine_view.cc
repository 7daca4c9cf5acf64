// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine.h"
#include "sched/raft/raft_engine_wire.h"
#include "sched/raft/raft_members.h"

// What a replica is, and when it next wants time.
namespace dunlin::sched {
namespace {

constexpr raft_time kNoTime = std::numeric_limits<raft_time>::max();

}  // namespace

raft_server* RaftEngine::server(ReplicaId replica) const {
  const std::span servers(raft_.configuration.servers, raft_.configuration.n);
  const auto found = std::ranges::find(servers, replica, &raft_server::id);
  return found == servers.end() ? nullptr : &*found;
}

// What libraft looks at when it ticks, so that it need not tick in between.
Time RaftEngine::deadline() const {
  const raft_server* const self = server(log_.state().replica);
  const bool votes = self != nullptr && self->role == RAFT_VOTER;
  raft_time next = kNoTime;
  if (raft_.state == RAFT_FOLLOWER && votes) {
    next = raft_.election_timer_start + raft_.follower_state.randomized_election_timeout;
  } else if (raft_.state == RAFT_CANDIDATE) {
    next = raft_.election_timer_start + raft_.candidate_state.randomized_election_timeout;
  } else if (raft_.state == RAFT_LEADER) {
    next = leader_deadline();
  }
  if (raft_.transfer != nullptr) {
    next = std::min(next, raft_.transfer->start + raft_.election_timeout);
  }
  if (next == kNoTime) return kNever;
  // Whatever libraft makes of a tick, the next one is later.
  next = std::max(next, woken_ + 1);
  return Time(std::chrono::milliseconds(static_cast<std::int64_t>(next)));
}

// Whether the leader still has its majority is looked at with the heartbeats: that is often enough.
raft_time RaftEngine::leader_deadline() const {
  raft_time next = kNoTime;
  for (unsigned i = 0; i < raft_.configuration.n; ++i) {
    if (!replicates(raft_.configuration.servers[i])) continue;
    next = std::min(next, raft_.leader_state.progress[i].last_send + raft_.heartbeat_timeout);
  }
  return next;
}

bool RaftEngine::replicates(const raft_server& to) const {
  return to.id != raft_.id && (to.role != RAFT_SPARE || to.id == raft_.leader_state.promotee_id);
}

// One wake-up for all followers, though they were last written to at different times.
void RaftEngine::align_heartbeats(raft_time now) {
  if (raft_.state != RAFT_LEADER || leader_deadline() > now) return;
  for (unsigned i = 0; i < raft_.configuration.n; ++i) {
    if (!replicates(raft_.configuration.servers[i])) continue;
    raft_time& last = raft_.leader_state.progress[i].last_send;
    if (now - last >= raft_.heartbeat_timeout / 2) {
      last = std::min(last, now - raft_.heartbeat_timeout);
    }
  }
}

RaftRole RaftEngine::role() const {
  switch (raft_.state) {
    case RAFT_FOLLOWER:
      return RaftRole::follower;
    case RAFT_CANDIDATE:
      return RaftRole::candidate;
    case RAFT_LEADER:
      return RaftRole::leader;
    default:
      return RaftRole::failed;
  }
}

std::optional<Epoch> RaftEngine::epoch() const {
  if (raft_.state != RAFT_LEADER || machine_.epoch() != raft_.current_term) return std::nullopt;
  return raft_.current_term;
}

std::optional<RaftMember> RaftEngine::leader() const {
  ReplicaId replica = 0;
  if (raft_.state == RAFT_LEADER) replica = raft_.id;
  if (raft_.state == RAFT_FOLLOWER) replica = raft_.follower_state.current_leader.id;
  if (replica == 0) return std::nullopt;
  for (const RaftMember& member : members()) {
    if (member.replica == replica) return member;
  }
  // A member that was added by an entry which is not here yet.
  const Endpoint endpoint = io_.endpoint_of(replica, nullptr);
  return RaftMember{.replica = replica, .node = endpoint.id, .address = endpoint.address};
}

std::vector<RaftMember> RaftEngine::members() const {
  return members_of(raft_.configuration);
}

std::optional<Error> RaftEngine::trouble() const {
  if (machine_.trouble() || raft_.state != RAFT_UNAVAILABLE) return machine_.trouble();
  return Error{ErrorKind::corrupt,
      "raft: group " + hex_text(log_.state().group) + " stopped (" + raft_.errmsg +
          "): what it was sent contradicts what is committed here; remove this replica and add "
          "a new one",
      0};
}

}  // namespace dunlin::sched
