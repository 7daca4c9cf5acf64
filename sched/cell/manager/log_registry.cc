// SPDX-License-Identifier: MIT
#include "sched/cell/manager/log_registry.h"

#include <algorithm>

#include "sched/cell/manager/log_wish.h"
#include "sched/ledger/log_commands.h"
#include "sched/overloaded.h"

// A node speaks for itself alone: for the replica that it says it holds. The rules of the entry do
// the rest (sched/replica/entry.cc), for whatever order commands reach the log in. Whoever hears
// that the books do not have a log forgets its copy. A manager may have lost its office without
// knowing, so it says that only when the voters have agreed to close what is not there.
// Two things are for speed only. A command that cannot apply any more is answered without the
// voters. And a takeover waits as long as the home reports to this manager: then only the way from
// the home to its standby is cut, and a change of the set mends that without moving any job. It
// does not wait for long: a node that reports may have come back with another disk, and drives no
// log.
namespace dunlin::sched {
namespace {

/// A member that reported within so many periods is not missed.
constexpr int kPeriodsHeard = 2;

/// A claim is held off for so long, longer than a home needs to ask for another set.
constexpr Duration kHeldOffMax = std::chrono::seconds(5);

/// The node that speaks in a wish of a replica.
PeerId speaker(const cell::LogWish& wish, const books::LogEntry* log) {
  const auto holder = [&](std::uint64_t replica) {
    const auto at = std::ranges::find(log->set, replica, &books::LogMember::replica);
    return at == log->set.end() ? PeerId{} : at->contact.node;
  };
  return std::visit(Overloaded{
                        [](const cell::AskLog&) { return PeerId{}; },
                        [](const books::OpenLog& m) { return m.home.contact.node; },
                        [](const books::TakeOverLog& m) { return m.claimant.contact.node; },
                        [&](const books::ChangeLogSet&) { return holder(log->home); },
                        [&](const books::CloseLog& m) { return holder(m.home); },
                        [](const books::LoseLog& m) { return m.claimant.contact.node; },
                        [&](const books::RaiseLogFloor&) { return holder(log->home); },
                        [](const books::AcceptLog&) { return PeerId{}; },
                    },
      wish);
}

/// A log that these books do not have, or not as it is by now.
bool brings(const cell::LogWish& wish, const books::LogEntry* log) {
  const std::uint64_t known = log == nullptr ? 0 : log->version;
  return std::visit(
      Overloaded{
          [&](const books::OpenLog& m) { return log == nullptr || m.version > known; },
          [&](const books::AcceptLog& m) { return m.entry.version > known; },
          [](const auto&) { return false; },
      },
      wish);
}

/// Empty for a question.
std::optional<books::Change> change_of(const cell::LogWish& wish) {
  return std::visit(
      Overloaded{
          [](const cell::AskLog&) -> std::optional<books::Change> { return std::nullopt; },
          [](const auto& m) -> std::optional<books::Change> { return books::Change(m); },
      },
      wish);
}

/// The voters that all of them know of. While a change is under way one of them may be no voter
/// yet, or none any more: where the manager dies now, those that remain may be one less.
std::uint8_t voters_of(const RaftGroup& group) {
  const auto members = group.members();
  const auto voters = std::ranges::count(members, MemberRole::voter, &RaftMember::role);
  return static_cast<std::uint8_t>(
      group.changing() ? std::max<std::ptrdiff_t>(voters - 1, 0) : voters);
}

bool is_of_older_epoch(const cell::LogWish& wish, const books::LogEntry& log) {
  return std::visit(
      [&](const auto& m) {
        if constexpr (requires { m.epoch; }) return m.epoch != log.epoch;
        return false;
      },
      wish);
}

}  // namespace

bool LogRegistry::misses(const LeaderTurn& turn, PeerId node) const {
  const KnownMember* const member = members_->find(node);
  // A new manager has heard no member yet, and takes the standby's word.
  const bool reported = member != nullptr && member->sequence.has_value();
  return !reported || turn.now - member->heard > kPeriodsHeard * params_->period;
}

bool LogRegistry::holds_off(const LeaderTurn& turn, const books::LogEntry& log) {
  if (misses(turn, books::entry_of(log).home.node.id)) return false;
  const Claim first{log.version, turn.now, turn.now};
  Claim& claim = held_off_.try_emplace(log.log, first).first->second;
  // Another set, another home, or another silence: what was said before is of no matter.
  if (claim.version != log.version || turn.now - claim.last > kHeldOffMax) claim = first;
  claim.last = turn.now;
  return turn.now - claim.since < kHeldOffMax;
}

Handling LogRegistry::on_message(
    const LeaderTurn& turn, const Endpoint& from, const cell::Message& message) {
  const auto* const request = std::get_if<cell::LogRequest>(&message);
  if (request == nullptr) return Handling::passed;
  const Asker asker{from, log_of(request->wish), request->request, request->asker};
  const books::LogEntry* const log = books::find_log(turn.books.roster().logs, asker.log);
  const auto change = change_of(request->wish);
  const bool brings = sched::brings(request->wish, log);
  if (log == nullptr && !brings) {
    propose(turn, asker, books::CloseLog{.log = asker.log});
    return Handling::handled;
  }
  // A home takes an answer for a sign that it hears others. One at the manager's own node would be
  // answered though both are cut off, so the voters must hear of the question.
  const auto leader = turn.group.leader();
  const bool own = leader && from.id == leader->node;
  if (!change && own && log != nullptr && books::entry_of(*log).home.node.id == from.id) {
    propose(turn, asker,
        books::RaiseLogFloor{.log = log->log, .epoch = log->epoch, .floor = log->floor});
    return Handling::handled;
  }
  const bool opens = std::holds_alternative<books::OpenLog>(request->wish);
  const bool accepts = std::holds_alternative<books::AcceptLog>(request->wish);
  const bool idle = !change || ((opens || accepts) && !brings);
  const bool late = log != nullptr && !brings && is_of_older_epoch(request->wish, *log);
  const bool has_moved = log != nullptr && !brings && log->moved_to;
  if (idle || late || has_moved) {
    answer(turn, asker);
    return Handling::handled;
  }
  // Only the manager of a cell that ends brings an entry, which its books froze for these.
  if (accepts) {
    if (!request->asker) return Handling::refused;
    propose(turn, asker, *change);
    return Handling::handled;
  }
  if (speaker(request->wish, log) != from.id) return Handling::refused;
  const bool takes = std::holds_alternative<books::TakeOverLog>(request->wish);
  // A home that hands over need not be silent first.
  if (takes && !request->handed_over && holds_off(turn, *log)) return Handling::handled;
  propose(turn, asker, *change);
  return Handling::handled;
}

void LogRegistry::propose(const LeaderTurn& turn, const Asker& asker, const books::Change& change) {
  if (waiting_.size() >= kWaitingMax) return;
  if (const auto id = turn.propose_change(change)) waiting_[*id] = asker;
}

void LogRegistry::on_outcome(const LeaderTurn& turn, const Resolution& outcome) {
  const auto asked = waiting_.extract(outcome.id);
  // What was not committed may be yet, by the next manager: the replica asks it.
  if (!asked.empty() && outcome.committed) answer(turn, asked.mapped());
}

// One that this manager does not hear may be gone, and on any machine.
std::vector<cell::Keeper> LogRegistry::keepers_of(const LeaderTurn& turn) const {
  std::vector<cell::Keeper> keepers;
  if (turn.group.changing()) return keepers;
  for (const RaftMember& member : turn.group.members()) {
    if (member.role != MemberRole::voter || misses(turn, member.node)) continue;
    if (keepers.size() == cell::LogAnswer::kKeepersMax) break;
    const std::uint64_t machine = members_->find(member.node)->report.machine;
    keepers.push_back({.node = member.node, .machine = machine});
  }
  return keepers;
}

void LogRegistry::answer(const LeaderTurn& turn, const Asker& asker) const {
  cell::LogAnswer answer{.cell = turn.cell(),
      .log = asker.log,
      .standing = cell::LogStanding::unknown,
      .entry = {},
      .contacts = contacts_of(turn.group),
      .request = asker.request,
      .voters = voters_of(turn.group),
      .asker = asker.cell,
      .ending = turn.books.roster().dissolving,
      .keepers = keepers_of(turn),
      .tells_keepers = true};
  if (const auto* log = books::find_log(turn.books.roster().logs, asker.log)) {
    answer.standing = cell::LogStanding::known;
    answer.entry = *log;
  }
  turn.out.send(asker.node, answer);
}

}  // namespace dunlin::sched
