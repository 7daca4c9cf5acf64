// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "sched/raft/raft_store.h"

namespace dunlin::sched {

/// The durable state of one replica, as it is in memory. Every change goes to the store in the same
/// turn. Requires that verify() found nothing wrong with the records it is made of.
class RaftLog {
 public:
  explicit RaftLog(StoredRaft stored);

  const RaftState& state() const { return state_; }
  const std::optional<RaftSnapshot>& snapshot() const { return snapshot_; }
  const std::deque<RaftEntry>& entries() const { return entries_; }
  /// The index of the first entry; without entries, the index that the first will have.
  RaftIndex first() const { return first_; }
  /// The index of the last entry or of the snapshot; 0 without either.
  RaftIndex last() const { return first_ + entries_.size() - 1; }
  /// The term of an entry; 0 if it is not here.
  RaftTerm term_of(RaftIndex index) const;
  /// The index of the last entry of kind `change`, or 0.
  RaftIndex last_change() const;

  void set_term(RaftStore& store, RaftTerm term);
  void set_vote(RaftStore& store, ReplicaId vote);
  /// Appends entries with term, kind and data; the log adds index and checksum.
  void append(RaftStore& store, std::vector<RaftEntry> entries);
  /// Removes the entries from `from` on. Requires that they are not under a snapshot.
  void truncate(RaftStore& store, RaftIndex from);
  /// Replaces the snapshot, and keeps the last `trailing` of the entries that it stands for.
  void take(RaftStore& store, RaftSnapshot snapshot, RaftIndex trailing);
  /// Takes over a leader's snapshot, which replaces all entries here.
  void install(RaftStore& store, RaftSnapshot snapshot);

 private:
  void put_state(RaftStore& store);

  RaftState state_;
  std::optional<RaftSnapshot> snapshot_;
  std::deque<RaftEntry> entries_;
  RaftIndex first_ = 1;
};

}  // namespace dunlin::sched
