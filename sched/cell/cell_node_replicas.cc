// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/cell/cell_node.h"
#include "sched/raft/raft_check.h"

// The replicas that a node keeps.
namespace dunlin::sched {
namespace {

/// Closed books answer for what they accepted for so many leases more ...
constexpr int kKeepClosed = 100;
/// ... and are kept for so many if there is nothing to answer for: until all replicas know, and
/// those who were just about to send savings here, and were down or cut off since, are told that
/// none come.
constexpr int kKeepEmpty = 30;
/// A replica that nobody adds is forgotten after so many times voter_lost.
constexpr int kKeepSpare = 4;

std::vector<books::Contact> voters_of(const RaftGroup& group) {
  std::vector<books::Contact> voters;
  for (const RaftMember& member : group.members()) {
    if (voters.size() == cell::Lease::kContactsMax) break;
    voters.push_back({.node = member.node, .address = member.address});
  }
  return voters;
}

}  // namespace

const CellNode::HostedReplica* CellNode::hosted(CellId cell) const {
  for (const auto& hosted : hosted_) {
    if (hosted->group.group() == cell) return hosted.get();
  }
  return nullptr;
}

CellNode::HostedReplica* CellNode::find(CellId cell) {
  for (const auto& hosted : hosted_) {
    if (hosted->group.group() == cell) return hosted.get();
  }
  return nullptr;
}

CellNode::HostedReplica* CellNode::open(const CellTurn& turn, StoredRaft replica) {
  const CellId cell = replica.state.group;
  auto group = RaftGroup::restore(
      turn.raft(), params_->raft, self_, std::move(replica), std::make_unique<CellBooks>(cell));
  if (!group) return nullptr;
  hosted_.push_back(std::make_unique<HostedReplica>(std::move(*group), turn.now));
  return hosted_.back().get();
}

Result<void> CellNode::restore(const CellTurn& turn, std::vector<StoredRaft> replicas) {
  Result<void> result;
  if (!on()) return result;
  for (StoredRaft& replica : replicas) {
    const CellId cell = replica.state.group;
    if (auto fine = verify(replica); !fine) {
      result = fine;
      continue;
    }
    HostedReplica* hosted = open(turn, std::move(replica));
    if (hosted == nullptr) {
      result = failure(ErrorKind::corrupt, "the books of cell " + hex_text(cell) + " do not start");
      continue;
    }
    settle(turn, *hosted);
    // Most likely it is a member there still.
    const auto voters = voters_of(hosted->group);
    const bool mine = level_of(cell) == 0 && !voters.empty() && !hosted->books().roster().closed;
    if (mine && member_.state() == CellMember::State::seeking) {
      member_.join(turn.now, cell, voters);
    }
  }
  return result;
}

void CellNode::found(const CellTurn& turn, std::uint8_t level, CellMember& founder) {
  if (hosted_.size() >= kSeatsMax) return;
  auto replica = new_replica(turn.raft(), cell_id(level, turn.rng()));
  const CellId cell = replica.state.group;
  const RaftMember first{.replica = replica.state.replica,
      .node = self_.id,
      .address = self_.address,
      .role = MemberRole::voter};
  sched::establish(turn.raft(), replica, std::span(&first, 1));
  HostedReplica* hosted = open(turn, std::move(replica));
  ensure(hosted != nullptr, "a new cell that does not start");
  const auto contact = contact_of(self_);
  founder.join(turn.now, cell, std::span(&contact, 1));
  hurried_ = kHurries;
  settle(turn, *hosted);
}

void CellNode::forget(const CellTurn& turn, CellId cell) {
  turn.store.forget_group(cell);
  std::erase_if(hosted_, [&](const auto& hosted) { return hosted->group.group() == cell; });
}

void CellNode::forget_what_ended(const CellTurn& turn) {
  const Time now = turn.now;
  std::vector<CellId> ended;
  for (const auto& hosted : hosted_) {
    if (hosted->closed == Time{} && hosted->books().roster().closed) hosted->closed = now;
    const bool answers = std::ranges::any_of(hosted->books().ledger().state().partners,
        [](const auto& partner) { return !partner.incoming.empty(); });
    const Duration keep = (answers ? kKeepClosed : kKeepEmpty) * params_->cell.lease;
    const bool closed = hosted->closed != Time{} && now - hosted->closed >= keep;
    const bool spare = hosted->group.members().empty() &&
        now - hosted->made >= kKeepSpare * params_->cell.voter_lost;
    if (closed || spare) ended.push_back(hosted->group.group());
  }
  for (const CellId cell : ended) forget(turn, cell);
}

}  // namespace dunlin::sched
