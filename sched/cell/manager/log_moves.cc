// SPDX-License-Identifier: MIT
#include "sched/cell/manager/log_moves.h"

#include <algorithm>
#include <optional>

#include "sched/ledger/log_commands.h"

// What is frozen is never taken back: a late word may have made it valid in the other books. So
// these must not end before they have it, and a cell that is about to end gets no new logs. It
// still takes one that was frozen for it, and gives it away in turn.
namespace dunlin::sched {
namespace {

bool is_given_up(const LeaderTurn& turn, const books::LogEntry& log) {
  return log.moved_to == turn.cell();
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
  const std::optional<cell::Hint> to = turn.heir();
  if (!to) return;
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
  const auto* const log = books::find_log(turn.books.roster().logs, answer->log);
  const bool asked =
      turn.ending && log != nullptr && answer->cell == (log->moved_to ? log->moved_to : heir_);
  if (!asked) return Handling::refused;
  if (answer->standing == cell::LogStanding::elsewhere) {
    if (answer->contacts.empty()) return Handling::handled;
    leaders_[answer->cell] = {endpoint_of(answer->contacts.front()), true};
    return Handling::handled;
  }
  leaders_[answer->cell] = {from, true};
  if (!log->moved_to) {
    const bool goes = !answer->ending && !answer->contacts.empty();
    if (goes) freeze(turn, *answer);
    return Handling::handled;
  }
  // A home may have left an entry of an earlier version behind there.
  const bool has_it =
      answer->standing == cell::LogStanding::known && answer->entry.version >= log->version;
  if (has_it) {
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
      .contacts = contacts_of(turn.group),
      .ending = true};
  for (const books::LogMember& member : log.set) turn.out.send(endpoint_of(member.contact), told);
}

bool LogMoves::settled(const LeaderTurn& turn) const {
  return std::ranges::all_of(turn.books.roster().logs, [&](const books::LogEntry& log) {
    return is_given_up(turn, log) || accepted_.contains(log.log);
  });
}

}  // namespace dunlin::sched
