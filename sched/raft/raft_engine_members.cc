// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/raft/raft_check.h"
#include "sched/raft/raft_engine.h"
#include "sched/raft/raft_engine_wire.h"
#include "sched/raft/raft_members.h"

// Changes of members and of the leader.
namespace dunlin::sched {
namespace {

bool is_last_voter(std::span<const RaftMember> members, const RaftMember& member) {
  return member.role == MemberRole::voter &&
      std::ranges::count(members, MemberRole::voter, &RaftMember::role) == 1;
}

/// True if most of the voters that would remain have answered lately, or have all that is
/// committed. Else the change itself might never be: one that is lost stays, one that lives goes.
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

Result<void> RaftEngine::answer(int code, std::string_view what) {
  if (code == 0) return {};
  return failure(
      ErrorKind::refused, "raft: cannot " + std::string(what) + ": " + raft_strerror(code));
}

// A manager has seen all that was committed before it, so that two managers never change members
// one beside the other (Ongaro 2015, on single-server changes).
Result<void> RaftEngine::may_change() const {
  if (!epoch()) return failure(ErrorKind::refused, "raft: this node is not the manager");
  if (changing()) return failure(ErrorKind::refused, "raft: a change of members is under way");
  return {};
}

bool RaftEngine::changing() const {
  return change_pending_ || log_.last_change() > raft_.commit_index;
}

Result<void> RaftEngine::change(const RaftTurn& turn, std::string_view what, auto&& ask) {
  const auto done = [](raft_change* request, int) {
    static_cast<RaftEngine*>(request->data)->change_pending_ = false;
  };
  int code = 0;
  act(turn, [&] {
    change_.data = this;
    change_pending_ = true;
    code = ask(done);
    if (code != 0) change_pending_ = false;
  });
  return answer(code, what);
}

Result<void> RaftEngine::add(const RaftTurn& turn, ReplicaId replica, const Endpoint& where) {
  if (auto may = may_change(); !may) return may;
  auto all = members();
  all.push_back({.replica = replica, .node = where.id, .address = where.address});
  if (!well_formed(all)) {
    return failure(ErrorKind::refused,
        "raft: replica " + hex_text(replica) + " or its node is a member already, or there are " +
            std::to_string(kMembersMax) + "; remove what is lost first");
  }
  const auto address = address_text(where);
  return change(turn, "add a member", [&](raft_change_cb done) {
    return raft_add(&raft_, &change_, replica, address.c_str(), done);
  });
}

Result<void> RaftEngine::assign(const RaftTurn& turn, ReplicaId replica, MemberRole role) {
  if (auto may = may_change(); !may) return may;
  const auto all = members();
  const auto member = std::ranges::find(all, replica, &RaftMember::replica);
  if (member == all.end() || member->role == role) {
    return failure(ErrorKind::refused,
        "raft: replica " + hex_text(replica) + " is no member, or has that role already");
  }
  if (is_last_voter(all, *member)) {
    return failure(ErrorKind::refused, "raft: the last voter remains one");
  }
  return change(turn, "assign a role", [&](raft_change_cb done) {
    return raft_assign(&raft_, &change_, replica, static_cast<int>(role), done);
  });
}

Result<void> RaftEngine::remove(const RaftTurn& turn, ReplicaId replica) {
  if (auto may = may_change(); !may) return may;
  const auto all = members();
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
  return change(turn, "remove a member",
      [&](raft_change_cb done) { return raft_remove(&raft_, &change_, replica, done); });
}

Result<void> RaftEngine::transfer(const RaftTurn& turn, ReplicaId replica) {
  if (!epoch()) return failure(ErrorKind::refused, "raft: this node is not the manager");
  if (raft_.transfer != nullptr) {
    return failure(ErrorKind::refused, "raft: the manager is handing over already");
  }
  int code = 0;
  act(turn,
      [&] { code = raft_transfer(&raft_, &transfer_, replica, [](struct raft_transfer*) {}); });
  return answer(code, "hand over");
}

}  // namespace dunlin::sched
