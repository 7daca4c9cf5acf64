// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine_ticks.h"

#include <algorithm>
#include <limits>
#include <span>

// libraft wants a tick every so often and mostly does nothing in it; with thousands of replicas in
// one simulation that is the bulk of the work. So the deadline is computed from the very fields
// that a tick would compare, and idle followers never wake. A follower waits for its election
// timeout, a candidate for the end of its election, a leader for the first heartbeat that is due, a
// transfer of leadership ends after one election timeout. One wake-up serves all followers, though
// the leader last wrote to them at different times.
namespace dunlin::sched {
namespace {

constexpr raft_time kNoTime = std::numeric_limits<raft_time>::max();

/// True if the leader `raft` writes to the member `to`: to every voter and stand-by, and to the
/// spare that it promotes.
bool replicates(const ::raft& raft, const raft_server& to) {
  return to.id != raft.id && (to.role != RAFT_SPARE || to.id == raft.leader_state.promotee_id);
}

// The leader checks with its heartbeats whether it still has its majority: that is often enough.
raft_time next_heartbeat(const ::raft& raft) {
  raft_time next = kNoTime;
  for (unsigned i = 0; i < raft.configuration.n; ++i) {
    if (!replicates(raft, raft.configuration.servers[i])) continue;
    next = std::min(next, raft.leader_state.progress[i].last_send + raft.heartbeat_timeout);
  }
  return next;
}

}  // namespace

raft_server* find_server(const ::raft& raft, ReplicaId replica) {
  const std::span servers(raft.configuration.servers, raft.configuration.n);
  const auto found = std::ranges::find(servers, replica, &raft_server::id);
  return found == servers.end() ? nullptr : &*found;
}

std::optional<raft_time> next_tick(const ::raft& raft) {
  const raft_server* const self = find_server(raft, raft.id);
  const bool votes = self != nullptr && self->role == RAFT_VOTER;
  raft_time next = kNoTime;
  if (raft.state == RAFT_FOLLOWER && votes) {
    next = raft.election_timer_start + raft.follower_state.randomized_election_timeout;
  } else if (raft.state == RAFT_CANDIDATE) {
    next = raft.election_timer_start + raft.candidate_state.randomized_election_timeout;
  } else if (raft.state == RAFT_LEADER) {
    next = next_heartbeat(raft);
  }
  if (raft.transfer != nullptr) next = std::min(next, raft.transfer->start + raft.election_timeout);
  if (next == kNoTime) return std::nullopt;
  return next;
}

void align_heartbeats(::raft& raft, raft_time now) {
  if (raft.state != RAFT_LEADER || next_heartbeat(raft) > now) return;
  for (unsigned i = 0; i < raft.configuration.n; ++i) {
    if (!replicates(raft, raft.configuration.servers[i])) continue;
    raft_time& last = raft.leader_state.progress[i].last_send;
    if (now - last >= raft.heartbeat_timeout / 2) {
      last = std::min(last, now - raft.heartbeat_timeout);
    }
  }
}

}  // namespace dunlin::sched
