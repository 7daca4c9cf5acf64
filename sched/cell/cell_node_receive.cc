// SPDX-License-Identifier: MIT
#include <algorithm>
#include <type_traits>

#include "sched/cell/cell_node.h"
#include "sched/raft/raft_check.h"

// What other nodes say.
namespace dunlin::sched {

namespace {

/// False if all who could keep the books do, and so many that one of them may be away.
bool has_substitute(const books::Roster& directory, std::span<const RaftMember> members) {
  const auto voters = std::ranges::count(members, MemberRole::voter, &RaftMember::role);
  if (voters < 3) return true;
  return std::ranges::any_of(directory.members, [&](const books::Entrance& entrance) {
    return std::ranges::count(members, entrance.contact.node, &RaftMember::node) == 0;
  });
}

}  // namespace

void CellNode::receive(const CellTurn& turn, const Endpoint& from, const cell::Message& message) {
  if (!on()) return;
  if (auto rpc = rpc_of(message)) {
    on_rpc(turn, from, std::move(*rpc));
  } else {
    std::visit(
        [&](const auto& known) {
          if constexpr (!requires { known.header; }) on(turn, from, known);
        },
        message);
  }
  observe(turn);
}

void CellNode::on_rpc(const CellTurn& turn, const Endpoint& from, raft::Rpc rpc) {
  const raft::Header header = header_of(rpc);
  HostedReplica* hosted = find(header.group);
  if (hosted == nullptr) return;
  hosted->group.receive(turn.raft(), from, std::move(rpc));
  settle(turn, *hosted);
  // A replica that was removed, and does not know it.
  if (!hosted->manager || hosted->group.changing()) return;
  const auto members = hosted->group.members();
  if (std::ranges::count(members, header.sender, &RaftMember::replica) > 0) return;
  turn.out.send(from,
      cell::Discharge{
          .cell = header.group, .replica = header.sender, .index = hosted->group.commit_index()});
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::MemberReport& renew) {
  HostedReplica* hosted = find(renew.cell);
  if (hosted == nullptr) return;
  if (hosted->manager) {
    const LeaderContext context{hosted->group, hosted->books()};
    hosted->manager->renew(turn, context, from, renew);
    const bool stranger = context.books.ledger().node(renew.member) == nullptr;
    if (stranger && !renew.leaving && !hosted->manager->has_room(context)) {
      refer(turn, from, level_of(renew.cell));
    }
    return settle(turn, *hosted);
  }
  const auto leader = hosted->group.leader();
  if (!leader || leader->node == self_.id) return;
  cell::Lease lease;
  lease.cell = renew.cell;
  lease.epoch = hosted->group.last_epoch();
  lease.member = renew.member;
  lease.standing = cell::Standing::elsewhere;
  lease.sequence = renew.sequence;
  lease.contacts.push_back({.node = leader->node, .address = leader->address});
  lease.version = renew.version;
  turn.out.send(from, lease);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Lease& lease) {
  const auto learn = [&](const CellMember& member) {
    adopt(turn, lease.classes);
    // Ours is newer: it goes up.
    const bool old = lease.standing == cell::Standing::member && member.cell() == lease.cell &&
        lease.version < classes_.version;
    if (old) turn.out.send(from, cell::SetClasses{.cell = lease.cell, .classes = classes_});
  };
  // It answers a Renew: whom none was sent to has nothing to say.
  const auto asked = [&](const CellMember& member) {
    const bool known = std::ranges::count(member.contacts(), from.id, &books::Contact::node) > 0;
    if (!known) ++strangers_;
    return known;
  };
  if (lease.member == self_.id) {
    if (!asked(member_)) return;
    if (lease.standing == cell::Standing::full) hints_.full(lease.cell);
    const auto period = member_.period();
    (void)member_.receive(turn, lease);
    // What is used from now on is used under the new grants.
    if (member_.period() != period) (void)turn.workload.take(turn.now, tickets_);
    return learn(member_);
  }
  HostedReplica* hosted = find(lease.member.value);
  if (hosted == nullptr || !hosted->manager || !hosted->above) return;
  CellMember& above = *hosted->above;
  if (!asked(above)) return;
  if (lease.standing == cell::Standing::full) hints_.full(lease.cell);
  const bool changed = above.receive(turn, lease);
  learn(above);
  const LeaderContext context{hosted->group, hosted->books()};
  hosted->manager->set_classes(turn, context, classes_);
  if (changed && params_->cell.sharing == SharingMode::cluster_reserves) {
    hosted->manager->set_weights(above.grants(turn.now));
  }
  if (above.is_member()) {
    books::SetParent parent{.parent = above.cell(), .contacts = {}};
    parent.contacts.assign(above.contacts().begin(), above.contacts().end());
    hosted->manager->set_parent(turn, context, parent);
  }
  settle(turn, *hosted);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Enlist& enlist) {
  if (enlist.cell == 0) return;
  HostedReplica* hosted = find(enlist.cell);
  if (hosted == nullptr && hosted_.size() < kSeatsMax) {
    hosted = open(turn, new_replica(turn.raft(), enlist.cell));
  }
  if (hosted == nullptr) return;
  turn.out.send(from, cell::Enlisted{.cell = enlist.cell, .replica = hosted->group.replica()});
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Enlisted& enlisted) {
  HostedReplica* hosted = find(enlisted.cell);
  if (hosted == nullptr || !hosted->manager) return;
  hosted->manager->enlisted(turn, {hosted->group, hosted->books()}, from, enlisted);
  settle(turn, *hosted);
}

// Only those whom its own log calls members can have been asked by it.
void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Discharge& discharge) {
  HostedReplica* hosted = find(discharge.cell);
  if (hosted == nullptr || hosted->group.replica() != discharge.replica) return;
  const auto members = hosted->group.members();
  if (std::ranges::count(members, from.id, &RaftMember::node) == 0) {
    ++strangers_;
    return;
  }
  if (discharge.index == 0) {  // It may go; its books are still needed.
    hosted->resign = kNever;
  } else if (hosted->group.last_index() <= discharge.index) {
    forget(turn, discharge.cell);
  }
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Resign& resign) {
  HostedReplica* hosted = find(resign.cell);
  if (hosted == nullptr || !hosted->manager) return;
  const auto members = hosted->group.members();
  const auto member = std::ranges::find(members, resign.replica, &RaftMember::replica);
  if (member != members.end()) {
    if (member->node != from.id) return;
    hosted->manager->resign(turn.now, resign.replica);
    // Up to no entry at all: it counts, and yet it need not wait.
    if (!has_substitute(hosted->books().roster(), members)) {
      turn.out.send(
          from, cell::Discharge{.cell = resign.cell, .replica = resign.replica, .index = 0});
    }
  } else if (!hosted->group.changing()) {
    turn.out.send(from,
        cell::Discharge{
            .cell = resign.cell, .replica = resign.replica, .index = hosted->group.commit_index()});
  }
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::WrittenOff& lost) {
  HostedReplica* hosted = find(lost.cell);
  if (hosted == nullptr || !hosted->manager) return;
  const auto& partners = hosted->books().ledger().state().partners;
  const bool related = hosted->books().roster().parent == lost.by ||
      std::ranges::count(partners, lost.by, &books::Partner::cell) > 0;
  if (!related || !speaks_for(lost.by, *hosted, from.id)) {
    ++strangers_;
    return;
  }
  hosted->manager->annul(turn, {hosted->group, hosted->books()}, lost.by);
  settle(turn, *hosted);
}

// Whoever holds the cluster key may set classes: operators do so at any node.
void CellNode::on(const CellTurn& turn, const Endpoint&, const cell::SetClasses& set) {
  adopt(turn, set.classes);
  for (const auto& hosted : hosted_) {
    if (!hosted->manager) continue;
    hosted->manager->set_classes(turn, {hosted->group, hosted->books()}, classes_);
    settle(turn, *hosted);
  }
}

bool CellNode::speaks_for(CellId cell, const HostedReplica& hosted, PeerId node) const {
  const cell::Hint* hint = hints_.find(cell);
  if (hint != nullptr && hint->manager.node == node) return true;
  const auto named = [&](const auto& contacts) {
    return std::ranges::count(contacts, node, &books::Contact::node) > 0;
  };
  const auto& directory = hosted.books().roster();
  if (directory.parent == cell && named(directory.parent_contacts)) return true;
  return hosted.above && hosted.above->cell() == cell && named(hosted.above->contacts());
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Order& order) {
  HostedReplica* hosted = find(order.cell);
  if (hosted == nullptr || !hosted->manager) return;
  if (!speaks_for(order.parent, *hosted, from.id)) {
    ++strangers_;
    return;
  }
  hosted->manager->order(turn, {hosted->group, hosted->books()}, order);
  settle(turn, *hosted);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::SavingsOffer& offer) {
  HostedReplica* hosted = find(offer.to);
  if (hosted == nullptr || !hosted->manager) return;
  hosted->manager->offer(turn, {hosted->group, hosted->books()}, from, offer);
  settle(turn, *hosted);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Verdict& verdict) {
  HostedReplica* hosted = find(verdict.from);
  if (hosted == nullptr || !hosted->manager) return;
  if (!hosted->manager->verdict(turn, {hosted->group, hosted->books()}, from.id, verdict))
    ++strangers_;
  settle(turn, *hosted);
}

}  // namespace dunlin::sched
