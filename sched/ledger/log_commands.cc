// SPDX-License-Identifier: MIT
#include "sched/ledger/log_commands.h"

#include <algorithm>
#include <functional>

// The rules are those of sched/replica/entry.cc, which its swarm test holds. Here stand the bounds:
// what a stranger may propose must make sense, because every voter applies it.
namespace dunlin::sched::books {
namespace {

std::vector<LogEntry>::iterator place_of(std::vector<LogEntry>& logs, std::uint64_t log) {
  return std::ranges::lower_bound(logs, log, {}, &LogEntry::log);
}

LogEntry* find(std::vector<LogEntry>& logs, std::uint64_t log) {
  const auto at = place_of(logs, log);
  return at != logs.end() && at->log == log ? &*at : nullptr;
}

bool is_sound(const LogMember& member) {
  return member.replica != 0 && member.contact.node;
}

/// No replica and no node is in a set twice: a node's new disk replaces its old one.
bool is_sound(std::span<const LogMember> set) {
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (!is_sound(set[i])) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const bool twice =
          set[i].replica == set[j].replica || set[i].contact.node == set[j].contact.node;
      if (twice) return false;
    }
  }
  return true;
}

bool has_home(const LogEntry& log) {
  return std::ranges::count(log.set, log.home, &LogMember::replica) == 1;
}

/// Writes back what a command of the replicas has made of an entry.
void write(LogEntry& log, const replica::Entry& entry) {
  log.epoch = entry.epoch;
  log.version = entry.version;
  log.home = entry.home.replica.value;
  log.set = members_of(entry.set);
  log.moved_to = entry.moved_to;
}

/// One that other books have names nodes that keep those.
bool is_sound_move(const LogEntry& log) {
  return log.moved_contacts.empty() != (log.moved_to && has_claimants(log));
}

/// The entry that a log has when it is opened.
LogEntry opened_by(const OpenLog& open) {
  return {.log = open.log,
      .origin = open.origin ? open.origin : open.home.contact.node,
      .epoch = std::max(open.epoch, 1u),
      .version = std::max<std::uint64_t>(open.version, 1),
      .home = open.home.replica,
      .set = {open.home},
      .moved_contacts = {}};
}

/// A home that is alone in the set opened the log here, went on in other books, and is back: no
/// replica beside it ever was in the set here since.
bool is_left_behind(const LogEntry& log, const LogEntry& opened) {
  const bool same = log.home == opened.home && !has_claimants(log) && log.origin == opened.origin;
  return same && log.epoch <= opened.epoch && log.version < opened.version;
}

}  // namespace

bool are_sound(std::span<const LogEntry> logs) {
  const auto sound = [](const LogEntry& log) {
    return log.log != 0 && is_sound(log.set) && has_home(log) && is_sound_move(log);
  };
  const auto in_order = [](const LogEntry& a, const LogEntry& b) { return a.log < b.log; };
  return std::ranges::all_of(logs, sound) &&
      std::ranges::adjacent_find(logs, std::not_fn(in_order)) == logs.end();
}

bool has_claimants(const LogEntry& log) {
  return log.set.size() > 1;
}

const LogEntry* find_log(std::span<const LogEntry> logs, std::uint64_t log) {
  const auto at = std::ranges::lower_bound(logs, log, {}, &LogEntry::log);
  return at != logs.end() && at->log == log ? &*at : nullptr;
}

LogMember member_of(const replica::Member& member) {
  return {.replica = member.replica.value,
      .contact = {.node = member.node.id, .address = member.node.address}};
}

replica::Member member_of(const LogMember& member) {
  return {{member.replica}, {member.contact.node, member.contact.address}};
}

std::vector<LogMember> members_of(const replica::Set& set) {
  std::vector<LogMember> members;
  for (const replica::Member& member : set) members.push_back(member_of(member));
  return members;
}

replica::Set members_of(std::span<const LogMember> set) {
  replica::Set members;
  for (const LogMember& member : set) members.push_back(member_of(member));
  return members;
}

replica::Entry entry_of(const LogEntry& log) {
  replica::Entry entry{.epoch = log.epoch,
      .version = log.version,
      .home = {},
      .set = members_of(log.set),
      .moved_to = log.moved_to};
  const auto home = std::ranges::find(log.set, log.home, &LogMember::replica);
  ensure(home != log.set.end(), "the home of a log is in its set");
  entry.home = member_of(*home);
  return entry;
}

Outcome apply(std::vector<LogEntry>& logs, const OpenLog& open) {
  if (open.log == 0 || !is_sound(open.home)) return Outcome::malformed;
  LogEntry opened = opened_by(open);
  // A node that lost its disk counts its jobs from 1 again, but for the floor.
  for (const LogEntry& each : logs) {
    if (each.origin == opened.origin) opened.floor = std::max(opened.floor, each.floor);
  }
  if (LogEntry* const known = find(logs, open.log)) {
    opened.floor = known->floor;
    if (*known == opened) return Outcome::done;
    if (!is_left_behind(*known, opened)) return Outcome::stale_version;
    *known = opened;
    return Outcome::applied;
  }
  if (logs.size() >= Roster::kLogsMax) return Outcome::too_many;
  logs.insert(place_of(logs, open.log), opened);
  return Outcome::applied;
}

Outcome apply(std::vector<LogEntry>& logs, const ChangeLogSet& change) {
  LogEntry* const log = find(logs, change.log);
  if (log == nullptr) return Outcome::unknown_log;
  if (!is_sound(change.set)) return Outcome::malformed;
  replica::Entry entry = entry_of(*log);
  const bool applied = replica::apply(
      entry, replica::ChangeSet{change.epoch, change.version, members_of(change.set)});
  if (!applied) return Outcome::stale_version;
  write(*log, entry);
  return Outcome::applied;
}

Outcome apply(std::vector<LogEntry>& logs, const TakeOverLog& claim) {
  LogEntry* const log = find(logs, claim.log);
  if (log == nullptr) return Outcome::unknown_log;
  const auto known = std::ranges::find(log->set, claim.claimant.replica, &LogMember::replica);
  // A replica never moves to another node, but its node may have another address by now.
  const bool sound = known != log->set.end() && known->contact.node == claim.claimant.contact.node;
  if (!sound) return Outcome::stale_version;
  replica::Entry entry = entry_of(*log);
  const replica::TakeOver command{claim.epoch, member_of(claim.claimant)};
  if (!replica::apply(entry, command)) return Outcome::stale_version;
  write(*log, entry);
  std::ranges::find(log->set, log->home, &LogMember::replica)->contact = claim.claimant.contact;
  return Outcome::applied;
}

Outcome apply(std::vector<LogEntry>& logs, const LoseLog& lose) {
  LogEntry* const log = find(logs, lose.log);
  if (log == nullptr) return Outcome::unknown_log;
  if (!is_sound(lose.claimant)) return Outcome::malformed;
  replica::Entry entry = entry_of(*log);
  if (!replica::apply(entry, replica::Lose{lose.epoch, member_of(lose.claimant)})) {
    return Outcome::stale_version;
  }
  write(*log, entry);
  return Outcome::applied;
}

Outcome apply(std::vector<LogEntry>& logs, const RaiseLogFloor& raise) {
  LogEntry* const log = find(logs, raise.log);
  if (log == nullptr) return Outcome::unknown_log;
  if (log->moved_to || log->epoch != raise.epoch) return Outcome::stale_version;
  if (raise.floor <= log->floor) return Outcome::done;
  log->floor = raise.floor;
  return Outcome::applied;
}

Outcome apply(std::vector<LogEntry>& logs, const CloseLog& close) {
  const auto at = place_of(logs, close.log);
  if (at == logs.end() || at->log != close.log) return Outcome::done;
  const bool stale = at->moved_to || at->epoch != close.epoch || at->home != close.home;
  if (stale) return Outcome::stale_version;
  logs.erase(at);
  return Outcome::applied;
}

Outcome apply(std::vector<LogEntry>& logs, const FreezeLog& freeze) {
  LogEntry* const log = find(logs, freeze.log);
  if (log == nullptr) return Outcome::unknown_log;
  if (!freeze.to) return Outcome::malformed;
  if (log->moved_to) return log->moved_to == freeze.to ? Outcome::done : Outcome::stale_version;
  replica::Entry entry = entry_of(*log);
  if (!replica::apply(entry, replica::Freeze{freeze.to})) return Outcome::stale_version;
  write(*log, entry);
  log->moved_contacts = freeze.contacts;
  return Outcome::applied;
}

Outcome apply(std::vector<LogEntry>& logs, const AcceptLog& accept) {
  LogEntry moved = accept.entry;
  const bool sound = moved.moved_to && are_sound(std::span(&moved, 1));
  if (!sound) return Outcome::malformed;
  LogEntry* const known = find(logs, moved.log);
  if (known == nullptr && logs.size() >= Roster::kLogsMax) return Outcome::too_many;
  replica::Entry entry = known == nullptr ? replica::Entry{} : entry_of(*known);
  if (!replica::accept(entry, entry_of(moved))) return Outcome::done;
  if (known != nullptr) moved.floor = std::max(moved.floor, known->floor);
  moved.moved_contacts.clear();
  write(moved, entry);
  if (known != nullptr) {
    *known = moved;
  } else {
    logs.insert(place_of(logs, moved.log), moved);
  }
  return Outcome::applied;
}

}  // namespace dunlin::sched::books
