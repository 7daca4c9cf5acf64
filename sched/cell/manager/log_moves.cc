// SPDX-License-Identifier: MIT
#include "sched/cell/manager/log_moves.h"

#include <algorithm>

#include "sched/ledger/log_commands.h"

// What is frozen is never taken back: a late word may have made it valid in the other books. So
// these must not end before they have it, and a cell that is about to end gets no new logs. It
// still takes one that was frozen for it, and gives it away in turn.
namespace dunlin::sched {
namespace {

/// The cell that is to have the logs: the one that gets the savings, or else the largest.
const cell::Hint* heir(const LeaderTurn& turn, std::vector<cell::Hint>& standing) {
  standing = turn.hints.standing(turn.level());
  std::erase_if(standing, [&](const cell::Hint& hint) { return hint.cell == turn.cell(); });
  if (standing.empty()) return nullptr;
  const auto meant = std::ranges::find(standing, turn.books.roster().into, &cell::Hint::cell);
  if (meant != standing.end()) return &*meant;
  return &*std::ranges::max_element(standing, {}, &cell::Hint::size);
}

bool is_given_up(const LeaderTurn& turn, const books::LogEntry& log) {
  return log.moved_to == turn.cell();
}

std::vector<books::Contact> keepers_of(const LeaderTurn& turn) {
  std::vector<books::Contact> keepers;
  for (const RaftMember& member : turn.group.members()) {
    if (keepers.size() == cell::LogAnswer::kContactsMax) break;
    keepers.push_back({.node = member.node, .address = member.address});
  }
  return keepers;
}

}  // namespace

void LogMoves::on_period(const LeaderTurn& turn) {
  if (!turn.ending) return;
  // A leader that did not answer may be none any more.
  std::erase_if(leaders_, [](const auto& each) { return !each.second.heard; });
  for (auto& [cell, leader] : leaders_) leader.heard = false;
  const books::LogEntry* waiting = nullptr;
  for (const books::LogEntry& log : turn.books.roster().logs) {
    if (!log.moved_to && !books::has_claimants(log)) {
      turn.propose_change(books::FreezeLog{.log = log.log, .to = turn.cell(), .contacts = {}});
    } else if (!log.moved_to) {
      waiting = &log;
    } else if (is_given_up(turn, log) || accepted_.contains(log.log)) {
      tell_replicas(turn, log);
    } else {
      ask(turn, log.moved_to, log.moved_contacts, books::AcceptLog{.entry = log});
    }
  }
  if (waiting == nullptr) return;
  std::vector<cell::Hint> standing;
  const cell::Hint* const to = heir(turn, standing);
  if (to == nullptr) return;
  heir_ = to->cell;
  ask(turn, heir_, {to->manager}, cell::AskLog{.log = waiting->log});
}

void LogMoves::ask(const LeaderTurn& turn,
    CellId cell,
    const std::vector<books::Contact>& contacts,
    const cell::LogWish& wish) {
  const auto leader = leaders_.find(cell);
  const cell::Hint* const hint = turn.hints.find(cell);
  Endpoint to = endpoint_of(contacts[++asked_ % contacts.size()]);
  if (leader != leaders_.end()) {
    to = leader->second.node;
  } else if (hint != nullptr && asked_ % 2 == 0) {
    to = endpoint_of(hint->manager);
  }
  turn.out.send(
      to, cell::LogRequest{.cell = cell, .wish = wish, .request = asked_, .asker = turn.cell()});
}

Handling LogMoves::on_message(
    const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) {
  const auto* const answer = std::get_if<cell::LogAnswer>(&message);
  if (answer == nullptr) return Handling::passed;
  if (!turn.ending || answer->cell == turn.cell()) return Handling::refused;
  if (answer->standing == cell::LogStanding::elsewhere) {
    if (answer->contacts.empty()) return Handling::handled;
    leaders_[answer->cell] = {endpoint_of(answer->contacts.front()), true};
    return Handling::handled;
  }
  leaders_[answer->cell] = {from, true};
  const auto* const log = books::find_log(turn.books.roster().logs, answer->log);
  if (log == nullptr) return Handling::handled;
  if (!log->moved_to) {
    const bool goes = answer->cell == heir_ && !answer->ending && !answer->contacts.empty();
    if (goes) freeze(turn, *answer);
  } else if (log->moved_to == answer->cell && answer->standing == cell::LogStanding::known) {
    accepted_.insert(log->log);
    tell_replicas(turn, *log);
  }
  return Handling::handled;
}

void LogMoves::freeze(const LeaderTurn& turn, const cell::LogAnswer& there) {
  for (const books::LogEntry& log : turn.books.roster().logs) {
    if (log.moved_to || !books::has_claimants(log)) continue;
    turn.propose_change(
        books::FreezeLog{.log = log.log, .to = there.cell, .contacts = there.contacts});
  }
}

void LogMoves::tell_replicas(const LeaderTurn& turn, const books::LogEntry& log) const {
  const cell::LogAnswer told{.cell = turn.cell(),
      .log = log.log,
      .standing = cell::LogStanding::known,
      .entry = log,
      .contacts = keepers_of(turn),
      .ending = true};
  for (const books::LogMember& member : log.set) turn.out.send(endpoint_of(member.contact), told);
}

bool LogMoves::settled(const LeaderTurn& turn) const {
  return std::ranges::all_of(turn.books.roster().logs, [&](const books::LogEntry& log) {
    return is_given_up(turn, log) || accepted_.contains(log.log);
  });
}

}  // namespace dunlin::sched
