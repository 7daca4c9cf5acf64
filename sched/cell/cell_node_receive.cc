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
  Seat* seat = find(header.group);
  if (seat == nullptr) return;
  seat->group.receive(turn.raft(), from, std::move(rpc));
  settle(turn, *seat);
  // A replica that was removed, and does not know it.
  if (!seat->manager || seat->group.changing()) return;
  const auto members = seat->group.members();
  if (std::ranges::count(members, header.sender, &RaftMember::replica) > 0) return;
  turn.out.send(from,
      cell::Discharge{
          .cell = header.group, .replica = header.sender, .index = seat->group.commit_index()});
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Renew& renew) {
  Seat* seat = find(renew.cell);
  if (seat == nullptr) return;
  if (seat->manager) {
    const Office office{seat->group, seat->books()};
    seat->manager->renew(turn, office, from, renew);
    const bool stranger = office.books.ledger().node(renew.member) == nullptr;
    if (stranger && !renew.leaving && !seat->manager->has_room(office)) {
      refer(turn, from, level_of(renew.cell));
    }
    return settle(turn, *seat);
  }
  const auto leader = seat->group.leader();
  if (!leader || leader->node == self_.id) return;
  cell::Lease lease;
  lease.cell = renew.cell;
  lease.epoch = seat->group.last_epoch();
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
  Seat* seat = find(lease.member.value);
  if (seat == nullptr || !seat->manager || !seat->above) return;
  CellMember& above = *seat->above;
  if (!asked(above)) return;
  if (lease.standing == cell::Standing::full) hints_.full(lease.cell);
  const bool changed = above.receive(turn, lease);
  learn(above);
  const Office office{seat->group, seat->books()};
  seat->manager->set_classes(turn, office, classes_);
  if (changed && params_->cell.sharing == SharingMode::reserves) {
    seat->manager->set_weights(above.grants(turn.now));
  }
  if (above.is_member()) {
    books::SetParent parent{.parent = above.cell(), .contacts = {}};
    parent.contacts.assign(above.contacts().begin(), above.contacts().end());
    seat->manager->set_parent(turn, office, parent);
  }
  settle(turn, *seat);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Enlist& enlist) {
  if (enlist.cell == 0) return;
  Seat* seat = find(enlist.cell);
  if (seat == nullptr && seats_.size() < kSeatsMax) {
    seat = open(turn, new_replica(turn.raft(), enlist.cell));
  }
  if (seat == nullptr) return;
  turn.out.send(from, cell::Enlisted{.cell = enlist.cell, .replica = seat->group.replica()});
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Enlisted& enlisted) {
  Seat* seat = find(enlisted.cell);
  if (seat == nullptr || !seat->manager) return;
  seat->manager->enlisted(turn, {seat->group, seat->books()}, from, enlisted);
  settle(turn, *seat);
}

// Only those whom its own log calls members can have been asked by it.
void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Discharge& discharge) {
  Seat* seat = find(discharge.cell);
  if (seat == nullptr || seat->group.replica() != discharge.replica) return;
  const auto members = seat->group.members();
  if (std::ranges::count(members, from.id, &RaftMember::node) == 0) {
    ++strangers_;
    return;
  }
  if (discharge.index == 0) {  // It may go; its books are still needed.
    seat->resign = kNever;
  } else if (seat->group.last_index() <= discharge.index) {
    forget(turn, discharge.cell);
  }
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Resign& resign) {
  Seat* seat = find(resign.cell);
  if (seat == nullptr || !seat->manager) return;
  const auto members = seat->group.members();
  const auto member = std::ranges::find(members, resign.replica, &RaftMember::replica);
  if (member != members.end()) {
    if (member->node != from.id) return;
    seat->manager->resign(turn.now, resign.replica);
    // Up to no entry at all: it counts, and yet it need not wait.
    if (!has_substitute(seat->books().roster(), members)) {
      turn.out.send(
          from, cell::Discharge{.cell = resign.cell, .replica = resign.replica, .index = 0});
    }
  } else if (!seat->group.changing()) {
    turn.out.send(from,
        cell::Discharge{
            .cell = resign.cell, .replica = resign.replica, .index = seat->group.commit_index()});
  }
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::WrittenOff& lost) {
  Seat* seat = find(lost.cell);
  if (seat == nullptr || !seat->manager) return;
  const auto& partners = seat->books().ledger().state().partners;
  const bool related = seat->books().roster().parent == lost.by ||
      std::ranges::count(partners, lost.by, &books::Partner::cell) > 0;
  if (!related || !speaks_for(lost.by, *seat, from.id)) {
    ++strangers_;
    return;
  }
  seat->manager->annul(turn, {seat->group, seat->books()}, lost.by);
  settle(turn, *seat);
}

// Whoever holds the cluster key may set classes: operators do so at any node.
void CellNode::on(const CellTurn& turn, const Endpoint&, const cell::SetClasses& set) {
  adopt(turn, set.classes);
  for (const auto& seat : seats_) {
    if (!seat->manager) continue;
    seat->manager->set_classes(turn, {seat->group, seat->books()}, classes_);
    settle(turn, *seat);
  }
}

bool CellNode::speaks_for(CellId cell, const Seat& seat, PeerId node) const {
  const cell::Hint* hint = hints_.find(cell);
  if (hint != nullptr && hint->manager.node == node) return true;
  const auto named = [&](const auto& contacts) {
    return std::ranges::count(contacts, node, &books::Contact::node) > 0;
  };
  const auto& directory = seat.books().roster();
  if (directory.parent == cell && named(directory.parent_contacts)) return true;
  return seat.above && seat.above->cell() == cell && named(seat.above->contacts());
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Order& order) {
  Seat* seat = find(order.cell);
  if (seat == nullptr || !seat->manager) return;
  if (!speaks_for(order.parent, *seat, from.id)) {
    ++strangers_;
    return;
  }
  seat->manager->order(turn, {seat->group, seat->books()}, order);
  settle(turn, *seat);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Offer& offer) {
  Seat* seat = find(offer.to);
  if (seat == nullptr || !seat->manager) return;
  seat->manager->offer(turn, {seat->group, seat->books()}, from, offer);
  settle(turn, *seat);
}

void CellNode::on(const CellTurn& turn, const Endpoint& from, const cell::Verdict& verdict) {
  Seat* seat = find(verdict.from);
  if (seat == nullptr || !seat->manager) return;
  if (!seat->manager->verdict(turn, {seat->group, seat->books()}, from.id, verdict)) ++strangers_;
  settle(turn, *seat);
}

}  // namespace dunlin::sched
