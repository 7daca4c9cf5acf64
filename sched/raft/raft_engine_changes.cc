// SPDX-License-Identifier: MIT
#include "sched/raft/raft_engine_changes.h"

#include <algorithm>
#include <string>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine_wire.h"

// Members change one at a time, because two majorities of lists that differ by one member always
// share a voter; with two changes at once they might not, and two leaders could each commit. So the
// next change waits until the last is committed. Two leaders must not change members side by side
// either (Ongaro 2015): a manager has seen everything committed before it.
// The last voter stays one, and no voter goes if too few of the rest answer: the change itself
// needs a majority of the new list.
// Source: Ongaro 2014, section 4.1 (single-server changes) and 3.10 (handing over).
namespace dunlin::sched {
namespace {

/// Without a voter a group could never commit again, not even a change that adds one.
bool is_last_voter(std::span<const RaftMember> members, const RaftMember& member) {
  return member.role == MemberRole::voter &&
      std::ranges::count(members, MemberRole::voter, &RaftMember::role) == 1;
}

/// True if most of the remaining voters have answered lately, or have all that is committed.
/// Without them the change itself may never be committed, with the voter neither in nor out.
bool leaves_a_majority(const ::raft& leader, ReplicaId without) {
  std::size_t voters = 0;
  std::size_t current = 0;
  for (unsigned i = 0; i < leader.configuration.n; ++i) {
    const raft_server& server = leader.configuration.servers[i];
    if (server.role != RAFT_VOTER || server.id == without) continue;
    ++voters;
    const raft_progress& progress = leader.leader_state.progress[i];
    const bool answers = server.id == leader.id || progress.recent_recv ||
        progress.match_index >= leader.commit_index;
    current += answers ? 1u : 0u;
  }
  return 2 * current > voters;
}

}  // namespace

Result<void> raft_answer(int code, std::string_view what) {
  if (code == 0) return {};
  return failure(
      ErrorKind::refused, "raft: cannot " + std::string(what) + ": " + raft_strerror(code));
}

std::optional<Epoch> RaftEngineChanges::epoch() const {
  if (raft_.state != RAFT_LEADER || machine_.epoch() != raft_.current_term) return std::nullopt;
  return raft_.current_term;
}

Result<void> RaftEngineChanges::check_free() const {
  if (!epoch()) return failure(ErrorKind::refused, "raft: this node is not the manager");
  if (pending()) return failure(ErrorKind::refused, "raft: a change of members is under way");
  return {};
}

Result<void> RaftEngineChanges::change(
    std::string_view what, const std::function<int(raft_change_cb)>& request) {
  change_.data = this;
  pending_ = true;
  const int code = request([](raft_change* ended, int) {
    static_cast<RaftEngineChanges*>(ended->data)->pending_ = false;
  });
  if (code != 0) pending_ = false;
  return raft_answer(code, what);
}

Result<void> RaftEngineChanges::add(ReplicaId replica, const Endpoint& where) {
  if (auto free = check_free(); !free) return free;
  auto all = members_of(raft_.configuration);
  all.push_back({.replica = replica, .node = where.id, .address = where.address});
  if (!well_formed(all)) {
    return failure(ErrorKind::refused,
        "raft: replica " + hex_text(replica) + " or its node is a member already, or there are " +
            std::to_string(kMembersMax) + "; remove what is lost first");
  }
  const auto address = address_text(where);
  return change("add a member", [&](raft_change_cb done) {
    return raft_add(&raft_, &change_, replica, address.c_str(), done);
  });
}

Result<void> RaftEngineChanges::assign(ReplicaId replica, MemberRole role) {
  if (auto free = check_free(); !free) return free;
  const auto all = members_of(raft_.configuration);
  const auto member = std::ranges::find(all, replica, &RaftMember::replica);
  if (member == all.end() || member->role == role) {
    return failure(ErrorKind::refused,
        "raft: replica " + hex_text(replica) + " is no member, or has that role already");
  }
  if (is_last_voter(all, *member)) {
    return failure(ErrorKind::refused, "raft: the last voter remains one");
  }
  return change("assign a role", [&](raft_change_cb done) {
    return raft_assign(&raft_, &change_, replica, static_cast<int>(role), done);
  });
}

Result<void> RaftEngineChanges::remove(ReplicaId replica) {
  if (auto free = check_free(); !free) return free;
  const auto all = members_of(raft_.configuration);
  const auto member = std::ranges::find(all, replica, &RaftMember::replica);
  if (member == all.end()) {
    return failure(ErrorKind::not_found, "raft: replica " + hex_text(replica) + " is no member");
  }
  if (is_last_voter(all, *member)) {
    return failure(ErrorKind::refused, "raft: the last voter remains one");
  }
  if (member->role == MemberRole::voter && !leaves_a_majority(raft_, replica)) {
    return failure(ErrorKind::refused,
        "raft: too few of the voters that would remain answer; remove one that does not");
  }
  return change("remove a member",
      [&](raft_change_cb done) { return raft_remove(&raft_, &change_, replica, done); });
}

Result<void> RaftEngineChanges::transfer(ReplicaId replica) {
  if (!epoch()) return failure(ErrorKind::refused, "raft: this node is not the manager");
  if (raft_.transfer != nullptr) {
    return failure(ErrorKind::refused, "raft: the manager is handing over already");
  }
  const int code = raft_transfer(&raft_, &transfer_, replica, [](struct raft_transfer*) {});
  return raft_answer(code, "hand over");
}

}  // namespace dunlin::sched
