// SPDX-License-Identifier: MIT
#include "sched/cell/manager/leader_turn.h"

#include <algorithm>
#include <utility>

#include "overlay/ensure.h"
#include "sched/cell/cell_member.h"

// Clocks of two nodes have nothing in common, and grants end by the clock of the books. So a
// manager goes on from the last stamp in them, and lets time pass at the pace of its own clock. An
// id of a proposal carries the epoch: an outcome from before this node was elected is never taken
// for one of its own.
namespace dunlin::sched {
namespace {

/// Low bits of a proposal's id, which count the proposals of an epoch.
constexpr int kIdBits = 24;

bool names(const auto& contacts, PeerId node) {
  return std::ranges::count(contacts, node, &books::Contact::node) > 0;
}

}  // namespace

static_assert(cell::Lease::kContactsMax == cell::LogAnswer::kContactsMax);

std::vector<books::Contact> contacts_of(const RaftGroup& group) {
  std::vector<books::Contact> contacts;
  for (const RaftMember& member : group.members()) {
    if (contacts.size() == cell::Lease::kContactsMax) break;
    contacts.push_back({.node = member.node, .address = member.address});
  }
  return contacts;
}

Proposer::Proposer(Time now, const LeaderContext& context)
    : epoch_(context.group.epoch().value_or(0)),
      began_(now),
      books_began_(context.books.ledger().state().now),
      last_(epoch_ << kIdBits) {
  ensure(context.group.epoch().has_value(), "a manager of a group that another replica leads");
}

std::optional<ProposalId> Proposer::propose(
    const CellTurn& turn, RaftGroup& group, books::Action action) {
  books::Command command;
  command.epoch = epoch_;
  command.at = stamp(turn.now);
  command.action = std::move(action);
  const ProposalId id = ++last_;
  if (!group.propose(turn.raft(), id, CellBooks::encode(command))) return std::nullopt;
  return id;
}

std::optional<ProposalId> Proposer::propose(
    const CellTurn& turn, RaftGroup& group, const books::Change& change) {
  const ProposalId id = ++last_;
  if (!group.propose(turn.raft(), id, CellBooks::encode(stamp(turn.now), change))) {
    return std::nullopt;
  }
  return id;
}

std::optional<ProposalId> LeaderTurn::propose(books::Action action) const {
  return proposer.propose(*this, group, std::move(action));
}

std::optional<ProposalId> LeaderTurn::propose_change(const books::Change& change) const {
  return proposer.propose(*this, group, change);
}

std::optional<cell::Hint> LeaderTurn::heir() const {
  std::vector<cell::Hint> standing = hints.standing(level());
  std::erase_if(standing, [&](const cell::Hint& hint) { return hint.cell == cell(); });
  if (standing.empty()) return std::nullopt;
  const auto meant = std::ranges::find(standing, books.roster().into, &cell::Hint::cell);
  return meant != standing.end() ? *meant
                                 : *std::ranges::max_element(standing, {}, &cell::Hint::size);
}

bool LeaderTurn::speaks_for(CellId cell, PeerId node) const {
  const cell::Hint* hint = hints.find(cell);
  if (hint != nullptr && hint->manager.node == node) return true;
  const books::Roster& roster = books.roster();
  if (roster.parent == cell && names(roster.parent_contacts, node)) return true;
  return above != nullptr && above->cell() == cell && names(above->contacts(), node);
}

}  // namespace dunlin::sched
