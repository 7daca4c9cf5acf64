// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "sched/ledger/books.h"
#include "sched/ledger/roster.h"
#include "sched/replica/entry.h"

// Commands of the books about logs of jobs: which replica of a log is its home, and which are in
// sync. Each does all it says or nothing, and the entry decides, not the time of asking. A log that
// has moved to the books of another cell is changed there alone: what stays says where it went.
namespace dunlin::sched::books {

/// True of entries as commands make them: by log, each with its home in its set.
bool are_sound(std::span<const LogEntry> logs);
/// Nullptr if these books do not have the log.
const LogEntry* find_log(std::span<const LogEntry> logs, std::uint64_t log);

/// A log that is there already is `done` if it was opened by the same replica and nothing has
/// changed since; a first command may come twice. A home that is alone in the set may open a log in
/// any books, and again in books that it left.
Outcome apply(std::vector<LogEntry>& logs, const OpenLog& open);
Outcome apply(std::vector<LogEntry>& logs, const ChangeLogSet& change);
Outcome apply(std::vector<LogEntry>& logs, const TakeOverLog& claim);
Outcome apply(std::vector<LogEntry>& logs, const CloseLog& close);
/// Whatever the set says: an administrator has decided so.
Outcome apply(std::vector<LogEntry>& logs, const LoseLog& lose);
/// A floor never falls: a lower one is `done`.
Outcome apply(std::vector<LogEntry>& logs, const RaiseLogFloor& raise);
/// True if the books of one cell may go on with the log only when those of another have stopped:
/// replicas beside the home may ask for the office.
bool has_claimants(const LogEntry& log);
/// A log that has moved stays where it went to: `done` if that is where `freeze` says.
Outcome apply(std::vector<LogEntry>& logs, const FreezeLog& freeze);
/// `done` if these books have the log as it was then, or as it became later. Requires that the
/// entry was moved to the cell of these books.
Outcome apply(std::vector<LogEntry>& logs, const AcceptLog& accept);

/// As the replicas of the log see it. Requires a sound entry: its home is in the set.
replica::Entry entry_of(const LogEntry& log);
LogMember member_of(const replica::Member& member);
replica::Member member_of(const LogMember& member);
std::vector<LogMember> members_of(const replica::Set& set);
replica::Set members_of(std::span<const LogMember> set);

}  // namespace dunlin::sched::books
