// SPDX-License-Identifier: MIT
#include <algorithm>

#include "sched/cell/cell_manager.h"
#include "sched/raft/raft_check.h"
#include "sched/sharing/apportion.h"

// What a manager does about nodes that are about to stop, and about cells that are lost.
namespace dunlin::sched {
namespace {

std::string seconds_text(Duration duration) {
  return std::to_string(duration / std::chrono::seconds(1)) + " s";
}

}  // namespace

bool CellManager::all_spoke(const LeaderContext& context) const {
  return std::ranges::all_of(context.books.ledger().state().nodes, [&](const books::Node& node) {
    const auto at = members_.find(node.node);
    return node.leaving || (at != members_.end() && at->second.sequence != 0);
  });
}

// It says so again and again, for as long as it holds.
bool CellManager::has_resigned(ReplicaId replica, Time now) const {
  const auto at = resigned_.find(replica);
  return at != resigned_.end() && now - at->second < params_->cell.lease;
}

bool CellManager::has_successor(const CellBooks& books, Time now) const {
  return std::ranges::any_of(books.ledger().state().nodes, [&](const books::Node& node) {
    const auto at = members_.find(node.node);
    if (node.leaving || at == members_.end()) return false;
    const Member& member = at->second;
    if (member.sequence == 0) return now - began_ < params_->cell.lease;
    return member.from.id != self_.id && !member.report.draining && !member.report.leaving;
  });
}

void CellManager::dissolve(const CellTurn& turn, const LeaderContext& context, CellId into) {
  propose_change(turn, context, books::Dissolve{.into = into});
}

Result<void> CellManager::write_off(const CellTurn& turn,
    const LeaderContext& context,
    const CellHints& hints,
    CellId lost,
    bool reissue) {
  const std::string name = "cell " + hex_text(lost);
  if (lost == 0 || lost == context.books.cell()) {
    return failure(ErrorKind::usage, name + " cannot be written off in its own books");
  }
  const Duration lease = params_->cell.lease;
  const auto age = hints.age(turn.now, lost);
  if (age && *age < lease) {
    return failure(ErrorKind::refused,
        "the manager of " + name + " was heard of " + seconds_text(*age) +
            " ago; a cell may be lost when nobody has heard of it for " + seconds_text(lease));
  }
  const Ledger& ledger = context.books.ledger();
  if (level_of(context.books.cell()) > 0 && ledger.node({lost}) != nullptr) {
    return failure(ErrorKind::refused,
        name + " is a member of cell " + hex_text(context.books.cell()) +
            " yet; it will be none when nobody has heard of it for " + seconds_text(lease));
  }
  if (context.books.is_lost(lost)) return {};
  books::WriteOff command{
      .cell = lost, .issue = {}, .expires = stamp(turn.now) + params_->bank.expiry};
  const auto& partners = ledger.state().partners;
  const auto partner = std::ranges::find(partners, lost, &books::Partner::cell);
  if (reissue && partner != partners.end()) {
    const auto& classes = context.books.roster().classes.classes;
    std::vector<Tickets> weights;
    for (const auto& each : classes) weights.push_back(each.share);
    const auto parts = apportion(std::max<Tickets>(0, partner->sent - partner->received), weights);
    for (std::size_t j = 0; j < parts.size(); ++j) {
      const Tickets part = std::min(parts[j], kTicketsMax);
      if (part > 0) command.issue.push_back({.class_id = classes[j].class_id, .tickets = part});
    }
  }
  const auto id = propose_command(turn, context, std::move(command));
  if (id == 0) return failure(ErrorKind::refused, "too much waits for the voters; try again later");
  writing_off_[id] = lost;
  return {};
}

void CellManager::annul(const CellTurn& turn, const LeaderContext& context, CellId by) {
  if (context.books.roster().closed) return;
  const auto id = propose_change(turn, context, books::Annul{.by = by});
  if (id != 0) writing_off_[id] = context.books.cell();
}

// Those that are missing may be found elsewhere in the tree; those that were written off and come
// back must not go on, for others were given what they had.
void CellManager::look_for_lost(
    const CellTurn& turn, const LeaderContext& context, const CellHints& hints) {
  const Time now = turn.now;
  const auto all_missing = context.books.roster().missing;  // Those found leave the list.
  for (const auto& missing : all_missing) {
    // One that died when it was last heard of here is not heard of later.
    const auto age = hints.age(now, missing.cell);
    if (age && *age < params_->cell.lease / 2) {
      propose_change(turn, context, books::Found{.cell = missing.cell});
    }
  }
  for (const auto& partner : context.books.ledger().state().partners) {
    const cell::Hint* hint = partner.lost ? hints.find(partner.cell) : nullptr;
    if (hint == nullptr) continue;
    turn.out.send(endpoint_of(hint->manager),
        cell::WrittenOff{.cell = partner.cell, .by = context.books.cell()});
  }
}

}  // namespace dunlin::sched
