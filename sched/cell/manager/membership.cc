// SPDX-License-Identifier: MIT
#include "sched/cell/manager/membership.h"

#include <algorithm>

// A member proves that it is alive by its reports, and by nothing else. The manager answers each
// with a lease. A member that is silent for a whole lease is evicted: the books burn its tickets as
// soon as its grants are surely over. A newcomer waits until the books have its tickets. A new
// manager knows no reports, so it gives every member a whole lease to find it.
namespace dunlin::sched {
namespace {

/// A manager remembers so many more than twice the members that the cell may have.
constexpr std::size_t kNewcomersMore = 8;

}  // namespace

const books::Use* use_of(const cell::MemberReport& report, ClassId class_id) {
  const auto at = std::ranges::find(report.uses, class_id, &books::Use::class_id);
  return at == report.uses.end() ? nullptr : &*at;
}

Tickets sound(Tickets reported) {
  return std::clamp<Tickets>(reported, 0, kTicketsMax);
}

Membership::Membership(
    const CellParams& params, const Endpoint& self, Time now, const CellBooks& books)
    : params_(&params),
      self_(self),
      began_(now) {
  for (const auto& node : books.ledger().state().nodes) members_[node.node].heard = now;
}

const KnownMember* Membership::find(MemberId member) const {
  const auto at = members_.find(member);
  return at == members_.end() ? nullptr : &at->second;
}

std::size_t Membership::size_max(CellId cell) const {
  return level_of(cell) == 0 ? params_->cell_size : params_->fan_out;
}

bool Membership::has_room(const CellBooks& books) const {
  const std::size_t size = books.ledger().state().nodes.size() + admissions_.size();
  return size < size_max(books.cell()) && !books.roster().dissolving;
}

bool Membership::all_reported(const CellBooks& books) const {
  return std::ranges::all_of(books.ledger().state().nodes, [&](const books::Node& node) {
    const KnownMember* member = find(node.node);
    return node.leaving || (member != nullptr && member->sequence);
  });
}

bool Membership::has_successor(const CellBooks& books, Time now) const {
  return std::ranges::any_of(books.ledger().state().nodes, [&](const books::Node& node) {
    const KnownMember* member = find(node.node);
    if (node.leaving || member == nullptr) return false;
    if (!member->sequence) return now - began_ < params_->lease;
    return member->from.id != self_.id && !member->report.draining && !member->report.leaving;
  });
}

// A node that is on its way out of the books waits: to join again before that would count its
// tickets twice.
cell::Standing Membership::standing_of(const CellBooks& books, MemberId id) const {
  const books::Node* node = books.ledger().node(id);
  const bool dissolving = books.roster().dissolving;
  if (node != nullptr && node->leaving) return cell::Standing::wait;
  if (node != nullptr) return dissolving ? cell::Standing::dissolved : cell::Standing::member;
  const KnownMember* member = find(id);
  if (member != nullptr && member->report.leaving) return cell::Standing::gone;
  if (dissolving) return cell::Standing::dissolved;
  const auto pending = [&](const auto& each) { return each.second == id; };
  if (std::ranges::any_of(admissions_, pending)) return cell::Standing::wait;
  return has_room(books) ? cell::Standing::gone : cell::Standing::full;
}

// The manager comes first, then the other voters: one of them leads next. Then come those that will
// vote soon: a member that knew only a manager which dies right after could not find the next one.
std::vector<books::Contact> Membership::contacts(const RaftGroup& group) const {
  std::vector<books::Contact> contacts{contact_of(self_)};
  const auto add = [&](bool voters) {
    for (const RaftMember& member : group.members()) {
      if ((member.role == MemberRole::voter) != voters || member.node == self_.id) continue;
      if (contacts.size() == cell::Lease::kContactsMax) return;
      contacts.push_back({.node = member.node, .address = member.address});
    }
  };
  add(true);
  add(false);
  return contacts;
}

// The term of the grants is told from when the report came: the member adds it to when the report
// left, which was earlier. So grants end at the member first.
void Membership::answer(const LeaderTurn& turn, MemberId id) const {
  const KnownMember* member = find(id);
  if (member == nullptr || !member->sequence) return;
  const auto& classes = turn.books.roster().classes;
  cell::Lease lease;
  lease.cell = turn.cell();
  lease.epoch = turn.epoch();
  lease.member = id;
  lease.standing = standing_of(turn.books, id);
  lease.sequence = *member->sequence;
  lease.contacts = contacts(turn.group);
  lease.version = classes.version;
  if (classes.version > member->report.version) lease.classes = classes;
  const books::Node* node = turn.books.ledger().node(id);
  if (node != nullptr && lease.standing == cell::Standing::member) {
    lease.period = node->period;
    lease.grant_life = std::max(Duration{0}, node->until - turn.proposer.stamp(member->heard));
    for (const auto& grant : node->grants) {
      if (lease.grants.size() == cell::Lease::kGrantsMax) break;
      lease.grants.push_back({.class_id = grant.class_id, .tickets = grant.tickets});
    }
  }
  turn.out.send(member->from, lease);
}

void Membership::answer_all(const LeaderTurn& turn) const {
  for (const auto& node : turn.books.ledger().state().nodes) answer(turn, node.node);
}

void Membership::turn_away(
    const LeaderTurn& turn, const Endpoint& to, const cell::MemberReport& report) const {
  cell::Lease lease;
  lease.cell = turn.cell();
  lease.epoch = turn.epoch();
  lease.member = report.member;
  lease.standing = cell::Standing::full;
  lease.sequence = report.sequence;
  lease.contacts = contacts(turn.group);
  lease.version = report.version;
  turn.out.send(to, lease);
}

void Membership::admit(const LeaderTurn& turn, const cell::MemberReport& report) {
  const auto id = turn.propose_change(books::Admit{.member = report.member,
      .tickets = report.tickets,
      .contact = contact_of(members_[report.member].from)});
  if (id) admissions_[*id] = report.member;
}

bool Membership::receive(
    const LeaderTurn& turn, const Endpoint& from, const cell::MemberReport& report) {
  // Newcomers are remembered while they ask, but no more of them than a cell has members.
  const std::size_t known_max = 2 * size_max(turn.cell()) + kNewcomersMore;
  if (!members_.contains(report.member) && members_.size() >= known_max) {
    turn_away(turn, from, report);
    return false;
  }
  KnownMember& member = members_[report.member];
  // A cell that has a new manager counts its reports anew.
  if (member.from == from && report.sequence < member.sequence) return false;
  member.heard = turn.now;
  member.sequence = report.sequence;
  member.from = from;
  member.report = report;
  follow(turn, report, from);
  answer(turn, report.member);
  return true;
}

// A member that moved to another address, or has more or fewer CPUs than before, is admitted anew:
// the books must say where it is and what it has.
void Membership::follow(
    const LeaderTurn& turn, const cell::MemberReport& report, const Endpoint& from) {
  const books::Node* node = turn.books.ledger().node(report.member);
  if (report.leaving) {
    if (node != nullptr) turn.propose(books::Burn{.node = report.member, .returned = true});
  } else if (node == nullptr) {
    if (standing_of(turn.books, report.member) == cell::Standing::gone) admit(turn, report);
  } else if (!node->leaving) {
    const books::Contact* contact = turn.books.contact(report.member);
    const bool moved = contact == nullptr || *contact != contact_of(from);
    if (moved || node->tickets != report.tickets) admit(turn, report);
  }
}

// The list is made before the first proposal: those of a sole voter are in the books at once, and
// change the nodes that this walks along.
void Membership::evict_silent(const LeaderTurn& turn) {
  const Time now = turn.now;
  struct Silent {
    MemberId member;
    Tickets tickets;
    Tickets saved;
  };
  std::vector<Silent> silent;
  for (const auto& node : turn.books.ledger().state().nodes) {
    const KnownMember& member =
        members_.try_emplace(node.node, KnownMember{.heard = now}).first->second;
    if (node.leaving || now - member.heard < params_->lease) continue;
    Tickets saved = 0;
    for (const auto& use : member.report.uses) saved += sound(use.balance);
    silent.push_back({.member = node.node, .tickets = node.tickets, .saved = saved});
  }
  for (const Silent& each : silent) {
    turn.propose(books::Burn{.node = each.member, .returned = false});
    if (turn.level() == 0) continue;
    turn.propose_change(books::Missing{
        .cell = each.member.cell(), .tickets = each.tickets, .saved = each.saved, .since = {}});
  }
  std::erase_if(members_, [&](const auto& each) {
    return turn.books.ledger().node(each.first) == nullptr &&
        now - each.second.heard >= params_->lease;
  });
}

void Membership::on_outcome(const LeaderTurn& turn, const Resolution& outcome) {
  const auto admitted = admissions_.extract(outcome.id);
  if (!admitted.empty() && outcome.committed) answer(turn, admitted.mapped());
}

// A cell of cells adds the savings of its children to its own: its parent moves savings by the
// whole.
std::vector<books::Use> Membership::uses(const CellBooks& books) const {
  std::vector<books::Use> uses;
  for (const auto& each : books.roster().classes.classes) {
    books::Use sum{.class_id = each.class_id, .used = 0, .need = 0, .balance = 0};
    for (const auto& node : books.ledger().state().nodes) {
      const KnownMember* member = find(node.node);
      const books::Use* use = member == nullptr ? nullptr : use_of(member->report, each.class_id);
      if (use == nullptr) continue;
      sum.used += sound(use->used);
      sum.need += sound(use->need);
      sum.cpu += sound(use->cpu);
      sum.balance += level_of(books.cell()) > 0 ? sound(use->balance) : 0;
    }
    sum.balance = sound(sum.balance + books.ledger().balance(each.class_id));
    sum.used = sound(sum.used);
    sum.need = sound(sum.need);
    sum.cpu = sound(sum.cpu);
    uses.push_back(sum);
  }
  return uses;
}

std::vector<MemberId> FreshReports::reporting(const CellBooks& books, const Membership& members) {
  std::erase_if(fresh_, [&](MemberId id) { return members.find(id) == nullptr; });
  std::vector<MemberId> reporting;
  for (const auto& node : books.ledger().state().nodes) {
    const KnownMember* member = members.find(node.node);
    if (member == nullptr || !member->sequence || !fresh_.contains(node.node)) continue;
    if (!node.leaving && member->report.period >= node.period) reporting.push_back(node.node);
  }
  return reporting;
}

}  // namespace dunlin::sched
