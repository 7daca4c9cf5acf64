// SPDX-License-Identifier: MIT
#include "sched/cell/replica_host.h"

#include <algorithm>
#include <utility>

#include "sched/cell/hosted_replica.h"
#include "sched/cell/manager/log_wish.h"
#include "sched/raft/raft_check.h"

// A node hosts a replica because it established the cell, or because a manager asked it to. It lets
// go of one only when nothing can depend on it: the manager says up to which entry of the log the
// replica does not count, and a replica with a longer log may count again, so it stays. Closed
// books answer for a while: other cells may still ask what became of transfers to them, and nodes
// where their logs are.
namespace dunlin::sched {
namespace {

/// Closed books answer for what they accepted or gave away for so many leases more ...
constexpr int kKeepClosed = 100;
/// ... and are kept for so many if there is nothing to answer for: until all replicas know, and
/// cells that were just about to send savings here, and were down or cut off since, are told that
/// none come.
constexpr int kKeepEmpty = 30;
/// A replica that no group adds is forgotten after so many times voter_lost.
constexpr int kKeepSpare = 4;

/// The replica that a manager's word is for; null if this node does not host it any more.
HostedReplica* addressee_of(const ReplicaHost& host, const auto& word) {
  HostedReplica* hosted = host.find(word.cell);
  return hosted != nullptr && hosted->group.replica() == word.replica ? hosted : nullptr;
}

/// Only a node that the replica's own log calls a member can have been asked by it.
bool has_say(const HostedReplica& hosted, PeerId node) {
  return std::ranges::count(hosted.group.members(), node, &RaftMember::node) > 0;
}

}  // namespace

ReplicaHost::ReplicaHost(const SharingParams& params, const Endpoint& self, CellGossip& gossip)
    : params_(&params),
      self_(self),
      gossip_(&gossip) {}

ReplicaHost::~ReplicaHost() = default;

HostedReplica* ReplicaHost::find(CellId cell) const {
  const auto at = std::ranges::find(hosted_, cell, [](const auto& each) { return each->cell(); });
  return at == hosted_.end() ? nullptr : at->get();
}

std::optional<ReplicaId> ReplicaHost::replica_of(CellId cell) const {
  const HostedReplica* hosted = find(cell);
  if (hosted == nullptr) return std::nullopt;
  return hosted->group.replica();
}

HostedReplica* ReplicaHost::open(const CellTurn& turn, StoredRaft replica) {
  const CellId cell{replica.state.group};
  auto group = RaftGroup::restore(
      turn.raft(), params_->raft, self_, std::move(replica), std::make_unique<CellBooks>(cell));
  if (!group) return nullptr;
  hosted_.push_back(std::make_unique<HostedReplica>(std::move(*group), turn.now));
  return hosted_.back().get();
}

Result<void> ReplicaHost::restore(
    const CellTurn& turn, std::vector<StoredRaft> replicas, CellMember& member) {
  Result<void> result;
  for (StoredRaft& replica : replicas) {
    const CellId cell{replica.state.group};
    if (auto fine = verify(replica); !fine) {
      result = fine;
      continue;
    }
    HostedReplica* hosted = open(turn, std::move(replica));
    if (hosted == nullptr) {
      result = failure(
          ErrorKind::corrupt, "the books of cell " + hex_text(cell.value) + " do not start");
      continue;
    }
    settle(turn, *hosted);
    // Most likely the node is a member there still.
    const auto voters = contacts_of(hosted->group);
    const bool own = hosted->level() == 0 && !voters.empty() && !hosted->books().roster().closed;
    if (own && member.state() == CellMember::State::seeking) {
      member.join(turn.now, cell, voters, CellMember::Joins::again);
    }
  }
  return result;
}

// The first member joins at once: a cell without members would be merged away.
void ReplicaHost::establish(const CellTurn& turn, std::uint8_t level, CellMember& first) {
  if (hosted_.size() >= kReplicasMax) return;
  auto replica = new_replica(turn.raft(), cell_id(level, turn.rng()).value);
  const CellId cell{replica.state.group};
  const RaftMember voter{.replica = replica.state.replica,
      .node = self_.id,
      .address = self_.address,
      .role = MemberRole::voter};
  sched::establish(turn.raft(), replica, std::span(&voter, 1));
  HostedReplica* hosted = open(turn, std::move(replica));
  ensure(hosted != nullptr, "a new cell that does not start");
  const auto contact = contact_of(self_);
  first.join(turn.now, cell, std::span(&contact, 1));
  gossip_->hurry();
  settle(turn, *hosted);
}

// Stored first, dropped second: a replica that was forgotten must not come back by a restart.
void ReplicaHost::forget(const CellTurn& turn, CellId cell) {
  turn.store.forget_group(cell.value);
  std::erase_if(hosted_, [&](const auto& hosted) { return hosted->cell() == cell; });
}

// A replica without members was asked for by a manager which then chose another node, or fell.
bool ReplicaHost::has_ended(const HostedReplica& hosted, Time now) const {
  const bool took = std::ranges::any_of(hosted.books().ledger().state().partners,
      [](const auto& partner) { return !partner.incoming.empty(); });
  // A node that was down comes back, and asks where the books of a log are by now.
  const bool answers = took || !hosted.books().roster().logs.empty();
  const Duration keep = (answers ? kKeepClosed : kKeepEmpty) * params_->cell.lease;
  const bool closed = hosted.closed && now - *hosted.closed >= keep;
  const bool spare =
      hosted.group.members().empty() && now - hosted.made >= kKeepSpare * params_->cell.voter_lost;
  return closed || spare;
}

void ReplicaHost::forget_ended(const CellTurn& turn) {
  std::vector<CellId> ended;
  for (const auto& hosted : hosted_) {
    if (!hosted->closed && hosted->books().roster().closed) hosted->closed = turn.now;
    if (has_ended(*hosted, turn.now)) ended.push_back(hosted->cell());
  }
  for (const CellId cell : ended) forget(turn, cell);
}

void ReplicaHost::wake(const CellTurn& turn, HostedReplica& hosted) {
  if (hosted.group.deadline() <= turn.now) hosted.group.wake(turn.raft());
  settle(turn, hosted);
}

// A sole voter decides at once. A manager that proposes again when it hears an outcome has the next
// outcome waiting, so they are taken until none is left.
void ReplicaHost::settle(const CellTurn& turn, HostedReplica& hosted) {
  const auto epoch = hosted.group.epoch();
  if (hosted.manager && (!epoch || hosted.manager->epoch() != *epoch)) {
    turn.events.on(ManagerResigned{hosted.cell(), hosted.manager->epoch()});
    hosted.manager.reset();
    hosted.above.reset();
  }
  const LeaderContext context = hosted.context(gossip_->hints());
  if (epoch && !hosted.manager) {
    hosted.manager.emplace(*params_, self_, turn.now, context);
    turn.events.on(ManagerElected{hosted.cell(), *epoch});
  }
  for (auto outcomes = hosted.group.take_outcomes(); !outcomes.empty();
      outcomes = hosted.group.take_outcomes()) {
    for (const Resolution& outcome : outcomes) {
      if (hosted.manager) hosted.manager->done(turn, context, outcome);
    }
  }
  gossip_->adopt(turn, hosted.books().roster().classes);
}

void ReplicaHost::receive(const CellTurn& turn, const Endpoint& from, raft::Rpc rpc) {
  const raft::Header header = header_of(rpc);
  HostedReplica* hosted = find(CellId{header.group});
  if (hosted == nullptr) return;
  hosted->group.receive(turn.raft(), from, std::move(rpc));
  settle(turn, *hosted);
  if (!hosted->manager || hosted->group.changing()) return;
  const auto members = hosted->group.members();
  if (std::ranges::count(members, header.sender, &RaftMember::replica) > 0) return;
  // The sender was removed, and does not know it.
  turn.out.send(from,
      cell::Discharge{
          .cell = hosted->cell(), .replica = header.sender, .index = hosted->group.commit_index()});
}

void ReplicaHost::redirect(const CellTurn& turn,
    const Endpoint& from,
    const cell::MemberReport& report,
    const HostedReplica& hosted) const {
  const auto leader = hosted.group.leader();
  if (!leader || leader->node == self_.id) return;
  cell::Lease lease;
  lease.cell = report.cell;
  lease.epoch = hosted.group.last_epoch();
  lease.member = report.member;
  lease.standing = cell::Standing::elsewhere;
  lease.sequence = report.sequence;
  lease.contacts.push_back({.node = leader->node, .address = leader->address});
  lease.version = report.version;
  turn.out.send(from, lease);
}

void ReplicaHost::redirect(const CellTurn& turn,
    const Endpoint& from,
    const cell::LogRequest& request,
    const HostedReplica& hosted) const {
  const auto leader = hosted.group.leader();
  if (!leader || leader->node == self_.id) return;
  turn.out.send(from,
      cell::LogAnswer{.cell = request.cell,
          .log = log_of(request.wish),
          .standing = cell::LogStanding::elsewhere,
          .entry = {},
          .contacts = {{.node = leader->node, .address = leader->address}},
          .asker = request.asker});
}

void ReplicaHost::receive(const CellTurn& turn, const Endpoint& from, const cell::Enlist& enlist) {
  if (!enlist.cell) return;
  HostedReplica* hosted = find(enlist.cell);
  if (hosted == nullptr && hosted_.size() < kReplicasMax) {
    hosted = open(turn, new_replica(turn.raft(), enlist.cell.value));
  }
  if (hosted == nullptr) return;
  turn.out.send(from, cell::Enlisted{.cell = enlist.cell, .replica = hosted->group.replica()});
}

bool ReplicaHost::receive(
    const CellTurn& turn, const Endpoint& from, const cell::Discharge& discharge) {
  const HostedReplica* hosted = addressee_of(*this, discharge);
  if (hosted == nullptr) return true;
  if (!has_say(*hosted, from.id)) return false;
  if (hosted->group.last_index() <= discharge.index) forget(turn, discharge.cell);
  return true;
}

// The node may stop, but its books are still needed if it goes on.
bool ReplicaHost::receive(const Endpoint& from, const cell::Excuse& excuse) {
  HostedReplica* hosted = addressee_of(*this, excuse);
  if (hosted == nullptr) return true;
  if (!has_say(*hosted, from.id)) return false;
  hosted->excused = true;
  return true;
}

}  // namespace dunlin::sched
