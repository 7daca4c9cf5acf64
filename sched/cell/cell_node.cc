// SPDX-License-Identifier: MIT
#include "sched/cell/cell_node.h"

#include <algorithm>

#include "sched/cell/apportion.h"
#include "sched/cell/raft_check.h"

// What a node does by itself, and the replicas it keeps.
namespace dunlin::sched {
namespace {

/// Closed books answer for what they accepted for so many leases more ...
constexpr int kKeepClosed = 100;
/// ... and are kept for so many if there is nothing to answer for, until all replicas know.
constexpr int kKeepEmpty = 2;
/// A replica that nobody adds is forgotten after so many times voter_lost.
constexpr int kKeepSpare = 4;
/// The number of levels that an id of a cell can tell.
constexpr std::uint8_t kLevels = 16;

std::vector<cell::Contact> voters_of(const RaftGroup& group) {
  std::vector<cell::Contact> voters;
  for (const RaftMember& member : group.members()) {
    if (voters.size() == cell::Lease::kContactsMax) break;
    voters.push_back({.node = member.node, .address = member.address});
  }
  return voters;
}

}  // namespace

CellNode::CellNode(const SharingParams& params, const Endpoint& self, Tickets tickets, Time now)
    : params_(&params),
      self_(self),
      tickets_(tickets),
      born_(now),
      member_(params.cell, 0, self.id) {}

const CellNode::Seat* CellNode::seat(CellId cell) const {
  for (const auto& seat : seats_) {
    if (seat->group.group() == cell) return seat.get();
  }
  return nullptr;
}

CellNode::Seat* CellNode::find(CellId cell) {
  for (const auto& seat : seats_) {
    if (seat->group.group() == cell) return seat.get();
  }
  return nullptr;
}

CellNode::Seat* CellNode::open(const CellTurn& turn, StoredRaft replica) {
  const CellId cell = replica.state.group;
  auto group = RaftGroup::restore(turn.raft, params_->raft, self_, std::move(replica),
      std::make_unique<CellBooks>(cell));
  if (!group) return nullptr;
  seats_.push_back(std::make_unique<Seat>(std::move(*group), turn.raft.now));
  return seats_.back().get();
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
    Seat* seat = open(turn, std::move(replica));
    if (seat == nullptr) {
      result = failure(ErrorKind::corrupt, "the books of cell " + hex_text(cell) + " do not start");
      continue;
    }
    settle(turn, *seat);
    // Most likely it is a member there still.
    const auto voters = voters_of(seat->group);
    const bool mine = level_of(cell) == 0 && !voters.empty() && !seat->books().directory().closed;
    if (mine && member_.state() == CellMember::State::seeking) {
      member_.join(turn.raft.now, cell, voters);
    }
  }
  return result;
}

void CellNode::found(const CellTurn& turn, std::uint8_t level, CellMember& founder) {
  if (seats_.size() >= kSeatsMax || level >= kLevels) return;
  auto replica = new_replica(turn.raft, cell_id(level, turn.raft.rng()));
  const CellId cell = replica.state.group;
  const RaftMember first{.replica = replica.state.replica,
      .node = self_.id,
      .address = self_.address,
      .role = MemberRole::voter};
  sched::found(turn.raft, replica, std::span(&first, 1));
  Seat* seat = open(turn, std::move(replica));
  ensure(seat != nullptr, "a new cell that does not start");
  const auto contact = contact_of(self_);
  founder.join(turn.raft.now, cell, std::span(&contact, 1));
  settle(turn, *seat);
}

void CellNode::forget(const CellTurn& turn, CellId cell) {
  turn.raft.store.forget_group(cell);
  std::erase_if(seats_, [&](const auto& seat) { return seat->group.group() == cell; });
}

void CellNode::forget_what_ended(const CellTurn& turn) {
  const Time now = turn.raft.now;
  std::vector<CellId> ended;
  for (const auto& seat : seats_) {
    if (seat->closed == Time{} && seat->books().directory().closed) seat->closed = now;
    const bool answers = std::ranges::any_of(seat->books().ledger().state().partners,
        [](const auto& partner) { return !partner.incoming.empty(); });
    const Duration keep = (answers ? kKeepClosed : kKeepEmpty) * params_->cell.lease;
    const bool closed = seat->closed != Time{} && now - seat->closed >= keep;
    const bool spare = seat->group.members().empty() &&
        now - seat->made >= kKeepSpare * params_->cell.voter_lost;
    if (closed || spare) ended.push_back(seat->group.group());
  }
  for (const CellId cell : ended) forget(turn, cell);
}

ReplicaId CellNode::replica_of(CellId cell) const {
  const Seat* kept = seat(cell);
  return kept == nullptr ? 0 : kept->group.replica();
}

cell::Renew CellNode::report(const CellTurn& turn) const {
  cell::Renew renew;
  renew.draining = draining_;
  renew.uptime = turn.raft.now - born_;
  renew.capacity = tickets_;
  renew.version = classes_.version;
  return renew;
}

void CellNode::wake(const CellTurn& turn) {
  if (!on()) return;
  const Time now = turn.raft.now;
  hints_.forget_old(now, params_->cell.hint_life);
  forget_what_ended(turn);
  if (member_.deadline() <= now) {
    member_.wake(turn, hints_, [&] {
      cell::Renew renew = report(turn);
      renew.tickets = tickets_;
      renew.replica = replica_of(member_.cell());
      renew.uses = turn.workload.take(now, tickets_);
      return renew;
    });
    if (member_.out_of_patience(now)) found(turn, 0, member_);
  }
  // To speak for a cell may found another one, at the end.
  for (std::size_t i = 0; i < seats_.size(); ++i) wake_seat(turn, *seats_[i]);
}

void CellNode::wake_seat(const CellTurn& turn, Seat& seat) {
  const Time now = turn.raft.now;
  if (seat.group.deadline() <= now) seat.group.wake(turn.raft);
  settle(turn, seat);
  if (!seat.manager) return;
  if (seat.manager->deadline() <= now) {
    const Office office{seat.group, seat.books()};
    if (draining_) hand_over(turn, seat);
    seat.manager->set_classes(turn, office, classes_);
    seat.manager->wake(turn, office, hints_);
    hints_.hear(now, params_->cell.hint_life, seat.manager->hint(office));
    settle(turn, seat);
  }
  if (seat.manager) speak_for(turn, seat);
}

void CellNode::settle(const CellTurn& turn, Seat& seat) {
  const auto epoch = seat.group.epoch();
  const Office office{seat.group, seat.books()};
  if (!epoch || (seat.manager && seat.manager->epoch() != *epoch)) {
    seat.manager.reset();
    seat.above.reset();
  }
  if (epoch && !seat.manager) seat.manager.emplace(*params_, self_, turn.raft.now, office);
  for (auto outcomes = seat.group.take_outcomes(); !outcomes.empty();
       outcomes = seat.group.take_outcomes()) {
    for (const Outcome& outcome : outcomes) {
      if (seat.manager) seat.manager->done(turn, office, outcome);
    }
  }
  adopt(seat.books().directory().classes);
}

bool CellNode::has_siblings(const Seat& seat) const {
  const auto standing = hints_.standing(level_of(seat.group.group()));
  return std::ranges::any_of(
      standing, [&](const cell::Hint& hint) { return hint.cell != seat.group.group(); });
}

// A cell alone needs nobody above it.
void CellNode::speak_for(const CellTurn& turn, Seat& seat) {
  const Time now = turn.raft.now;
  const auto& directory = seat.books().directory();
  const auto level = static_cast<std::uint8_t>(level_of(seat.group.group()) + 1);
  if (level >= kLevels || directory.closed) return;
  if (!seat.above) {
    const bool has_parent = directory.parent != 0;
    // Cells that are about to merge need none either.
    const Duration settling = 2 * params_->cell.merge_rounds * params_->cell.period;
    if (!has_siblings(seat)) seat.alone = now;
    const bool wants_parent = has_siblings(seat) && now - seat.alone >= settling;
    if (directory.dissolving || (!has_parent && !wants_parent)) return;
    seat.above.emplace(params_->cell, level, PeerId{seat.group.group()});
    if (has_parent) seat.above->join(now, directory.parent, directory.parent_contacts);
  }
  CellMember& above = *seat.above;
  if (directory.dissolving && above.state() != CellMember::State::leaving) {
    above.retire();
    above.leave(now);
  }
  if (above.deadline() > now) return;
  const Office office{seat.group, seat.books()};
  above.wake(turn, hints_, [&] {
    cell::Renew renew = report(turn);
    renew.tickets = std::min(seat.books().tickets(), kTicketsMax);
    renew.replica = replica_of(above.cell());
    renew.size = static_cast<std::uint32_t>(directory.members.size());
    renew.uses = seat.manager->uses(office);
    return renew;
  });
  if (!above.out_of_patience(now)) return;
  if (has_siblings(seat)) return found(turn, level, above);
  seat.above.reset();
  seat.alone = now;
  seat.manager->set_parent(turn, office, {});
  settle(turn, seat);
}

Time CellNode::deadline() const {
  if (!on()) return kNever;
  Time earliest = member_.deadline();
  for (const auto& seat : seats_) {
    earliest = std::min(earliest, seat->group.deadline());
    if (seat->manager) earliest = std::min(earliest, seat->manager->deadline());
    if (seat->manager && seat->above) earliest = std::min(earliest, seat->above->deadline());
  }
  return earliest;
}

void CellNode::hear(Time now, const cell::Hint& hint) {
  if (on()) hints_.hear(now, params_->cell.hint_life, hint);
}

void CellNode::adopt(const cell::Classes& classes) {
  if (classes.version > classes_.version && validate(classes)) classes_ = classes;
}

Result<void> CellNode::set_classes(const CellTurn& turn, cell::Classes classes) {
  if (auto sound = validate(classes); !sound) return sound;
  if (classes.version <= classes_.version) {
    return failure(ErrorKind::refused,
        "the class table has version " + std::to_string(classes_.version) +
            " already; read it again, and give yours the next one");
  }
  adopt(classes);
  for (const auto& seat : seats_) {
    if (seat->manager) seat->manager->set_classes(turn, {seat->group, seat->books()}, classes_);
    settle(turn, *seat);
  }
  if (member_.contacts().empty()) return {};
  turn.raft.out.send(endpoint_of(member_.contacts().front()),
      cell::SetClasses{.cell = member_.cell(), .classes = classes_});
  return {};
}

void CellNode::hand_over(const CellTurn& turn, Seat& seat) {
  const auto members = seat.group.members();
  if (std::ranges::count(members, MemberRole::voter, &RaftMember::role) < 2) return;
  // It fails if it is under way, or nobody is up to date yet: then later.
  (void)seat.group.transfer(turn.raft);
}

void CellNode::drain(const CellTurn& turn, bool on) {
  draining_ = on;
  for (const auto& seat : seats_) {
    if (on && seat->manager) hand_over(turn, *seat);
    settle(turn, *seat);
  }
}

void CellNode::leave(const CellTurn& turn) {
  member_.retire();
  member_.leave(turn.raft.now);
  drain(turn, true);
}

std::vector<std::pair<ServiceId, Tickets>> CellNode::tickets(Time now) const {
  std::vector<std::pair<ServiceId, Tickets>> tickets;
  for (const auto& grant : member_.grants(now)) tickets.emplace_back(grant.service, grant.tickets);
  if (!tickets.empty() || classes_.classes.empty()) return tickets;
  std::vector<Tickets> shares;
  for (const auto& each : classes_.classes) shares.push_back(each.share);
  const auto parts = apportion(tickets_, shares);
  for (std::size_t j = 0; j < parts.size(); ++j) {
    tickets.emplace_back(classes_.classes[j].service, parts[j]);
  }
  return tickets;
}

}  // namespace dunlin::sched
