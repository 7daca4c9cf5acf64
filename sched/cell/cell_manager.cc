// SPDX-License-Identifier: MIT
#include "sched/cell/cell_manager.h"

#include <algorithm>

// Members: who they are, what they are told, and when they go.
namespace dunlin::sched {

CellManager::CellManager(
    const SharingParams& params, const Endpoint& self, Time now, const LeaderContext& context)
    : params_(&params),
      self_(self),
      epoch_(*context.group.epoch()),
      began_(now),
      office_began_(context.books.ledger().state().now),
      next_(now) {
  proposal_ = epoch_ << 24;
  // Whoever was a member has a whole lease to find the new manager.
  for (const auto& node : context.books.ledger().state().nodes) members_[node.node].heard = now;
}

std::uint64_t CellManager::propose(
    const CellTurn& turn, const LeaderContext& context, const std::string& bytes) {
  const std::uint64_t id = ++proposal_;
  return context.group.propose(turn.raft(), id, bytes) ? id : 0;
}

std::uint64_t CellManager::propose_command(
    const CellTurn& turn, const LeaderContext& context, books::Action action) {
  books::Command command;
  command.epoch = epoch_;
  command.at = stamp(turn.now);
  command.action = std::move(action);
  return propose(turn, context, CellBooks::encode(command));
}

std::uint64_t CellManager::propose_change(
    const CellTurn& turn, const LeaderContext& context, const books::Change& change) {
  return propose(turn, context, CellBooks::encode(stamp(turn.now), change));
}

TransferDesk::Propose CellManager::proposer(const CellTurn& turn, const LeaderContext& context) {
  return [this, &turn, &context](
             books::Action action) { return propose_command(turn, context, std::move(action)); };
}

std::size_t CellManager::size_max(const LeaderContext& context) const {
  const auto& cell = params_->cell;
  return level_of(context.books.cell()) == 0 ? cell.cell_size : cell.fan_out;
}

cell::Standing CellManager::standing_of(const LeaderContext& context, PeerId member) const {
  const books::Node* node = context.books.ledger().node(member);
  const bool dissolving = context.books.roster().dissolving;
  if (node != nullptr && node->leaving) return cell::Standing::wait;
  if (node != nullptr) return dissolving ? cell::Standing::dissolved : cell::Standing::member;
  const auto at = members_.find(member);
  if (at != members_.end() && at->second.report.leaving) return cell::Standing::gone;
  if (dissolving) return cell::Standing::dissolved;
  const auto pending = [&](const auto& each) { return each.second == member; };
  if (std::ranges::any_of(admissions_, pending)) return cell::Standing::wait;
  return has_room(context) ? cell::Standing::gone : cell::Standing::full;
}

std::vector<books::Contact> CellManager::contacts(const LeaderContext& context) const {
  std::vector<books::Contact> contacts{contact_of(self_)};
  for (const RaftMember& member : context.group.members()) {
    if (member.role != MemberRole::voter || member.node == self_.id) continue;
    if (contacts.size() == cell::Lease::kContactsMax) break;
    contacts.push_back({.node = member.node, .address = member.address});
  }
  return contacts;
}

void CellManager::answer(const CellTurn& turn, const LeaderContext& context, PeerId id) {
  const auto at = members_.find(id);
  if (at == members_.end() || at->second.sequence == 0) return;
  const Member& member = at->second;
  const auto& classes = context.books.roster().classes;
  cell::Lease lease;
  lease.cell = context.books.cell();
  lease.epoch = epoch_;
  lease.member = id;
  lease.standing = standing_of(context, id);
  lease.sequence = member.sequence;
  lease.contacts = contacts(context);
  lease.version = classes.version;
  if (classes.version > member.report.version) lease.classes = classes;
  const books::Node* node = context.books.ledger().node(id);
  if (node != nullptr && lease.standing == cell::Standing::member) {
    lease.period = node->period;
    lease.grant_life = std::max(Duration{0}, node->until - stamp(member.heard));
    for (const auto& grant : node->grants) {
      if (lease.grants.size() == cell::Lease::kGrantsMax) break;
      lease.grants.push_back({.class_id = grant.class_id, .tickets = grant.tickets});
    }
  }
  turn.out.send(member.from, lease);
}

void CellManager::turn_away(const CellTurn& turn,
    const LeaderContext& context,
    const Endpoint& from,
    const cell::MemberReport& renew) {
  cell::Lease lease;
  lease.cell = context.books.cell();
  lease.epoch = epoch_;
  lease.member = renew.member;
  lease.standing = cell::Standing::full;
  lease.sequence = renew.sequence;
  lease.contacts = contacts(context);
  lease.version = renew.version;
  turn.out.send(from, lease);
}

void CellManager::admit(
    const CellTurn& turn, const LeaderContext& context, const cell::MemberReport& renew) {
  const auto id = propose_change(turn, context,
      books::Admit{.member = renew.member,
          .tickets = renew.tickets,
          .contact = contact_of(members_[renew.member].from)});
  if (id != 0) admissions_[id] = renew.member;
}

void CellManager::renew(const CellTurn& turn,
    const LeaderContext& context,
    const Endpoint& from,
    const cell::MemberReport& renew) {
  if (!renew.member || renew.sequence == 0) return;
  const CellId own = context.books.cell();
  if (level_of(own) > 0 && context.books.is_lost(renew.member.value)) {
    turn.out.send(from, cell::WrittenOff{.cell = renew.member.value, .by = own});
    return;
  }
  const books::Node* node = context.books.ledger().node(renew.member);
  // Strangers are remembered as long as they ask, but no more of them than a cell has members.
  const bool known = members_.contains(renew.member);
  if (!known && members_.size() >= 2 * size_max(context) + 8) {
    return turn_away(turn, context, from, renew);
  }
  Member& member = members_[renew.member];
  // A cell that has a new manager counts its reports anew.
  const bool same = member.from == from;
  if (same && renew.sequence < member.sequence) return;
  member.heard = turn.now;
  member.sequence = renew.sequence;
  member.from = from;
  member.report = renew;
  member.reported = true;
  if (renew.leaving) {
    if (node != nullptr) {
      propose_command(turn, context, books::Burn{.node = renew.member, .returned = true});
    }
  } else if (node == nullptr) {
    if (standing_of(context, renew.member) == cell::Standing::gone) admit(turn, context, renew);
  } else if (!node->leaving) {
    const books::Contact* contact = context.books.contact(renew.member);
    const bool moved = contact == nullptr || *contact != contact_of(from);
    if (moved || node->tickets != renew.tickets) admit(turn, context, renew);
  }
  answer(turn, context, renew.member);
}

// A sole voter's proposals are in the books at once: first see who goes, then let them go.
void CellManager::evict(const CellTurn& turn, const LeaderContext& context) {
  const Time now = turn.now;
  std::vector<books::Missing> silent;
  for (const auto& node : context.books.ledger().state().nodes) {
    const Member& member = members_.try_emplace(node.node, Member{.heard = now}).first->second;
    if (node.leaving || now - member.heard < params_->cell.lease) continue;
    books::Missing& missing =
        silent.emplace_back(books::Missing{.cell = node.node.value, .tickets = node.tickets});
    for (const auto& use : member.report.uses) {
      missing.saved += std::clamp<Tickets>(use.balance, 0, kTicketsMax);
    }
  }
  for (const books::Missing& missing : silent) {
    propose_command(turn, context, books::Burn{.node = {missing.cell}, .returned = false});
    if (level_of(context.books.cell()) > 0) propose_change(turn, context, missing);
  }
  std::erase_if(members_, [&](const auto& each) {
    return context.books.ledger().node(each.first) == nullptr &&
        now - each.second.heard >= params_->cell.lease;
  });
}

void CellManager::set_classes(
    const CellTurn& turn, const LeaderContext& context, const books::Classes& classes) {
  if (classes.version <= context.books.roster().classes.version || !validate(classes)) return;
  propose_change(turn, context, classes);
}

void CellManager::set_parent(
    const CellTurn& turn, const LeaderContext& context, const books::SetParent& parent) {
  const auto& directory = context.books.roster();
  if (directory.parent == parent.parent && directory.parent_contacts == parent.contacts) return;
  propose_change(turn, context, parent);
}

void CellManager::set_weights(std::span<const cell::Grant> weights) {
  weights_.assign(weights.begin(), weights.end());
}

void CellManager::done(
    const CellTurn& turn, const LeaderContext& context, const Resolution& outcome) {
  desk_.done(turn, context, outcome.id);
  if (const auto lost = writing_off_.extract(outcome.id); !lost.empty() && outcome.committed) {
    const bool applied = CellBooks::outcome_of(outcome.result) == books::Outcome::applied;
    if (applied) turn.events.on(CellWrittenOff{lost.mapped()});
  }
  if (const auto admitted = admissions_.extract(outcome.id); !admitted.empty()) {
    if (outcome.committed) answer(turn, context, admitted.mapped());
  }
  if (outcome.id != allocation_) return;
  allocation_ = 0;
  if (!outcome.committed) return;
  if (CellBooks::outcome_of(outcome.result) == books::Outcome::applied) ++allocations_;
  for (const auto& node : context.books.ledger().state().nodes) answer(turn, context, node.node);
}

bool CellManager::has_room(const LeaderContext& context) const {
  const std::size_t size = context.books.ledger().state().nodes.size() + admissions_.size();
  return size < size_max(context) && !context.books.roster().dissolving;
}

cell::Hint CellManager::hint(const LeaderContext& context) {
  const auto size = context.books.ledger().state().nodes.size();
  const bool dissolving = context.books.roster().dissolving;
  const auto room = size < size_max(context) && !dissolving ? size_max(context) - size : 0;
  return {.cell = context.books.cell(),
      .epoch = epoch_,
      .stamp = ++stamp_,
      .age = {},
      .manager = contact_of(self_),
      .size = static_cast<std::uint32_t>(size),
      .room = static_cast<std::uint32_t>(room),
      .dissolving = dissolving};
}

}  // namespace dunlin::sched
