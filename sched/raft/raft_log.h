// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <optional>
#include <span>

#include "sched/raft/raft_store.h"

namespace dunlin::sched {

/// The durable state of one replica as it is in memory: whatever changes here goes to the store in
/// the same turn. Requires that verify() found nothing wrong with what it is made of.
class RaftLog {
 public:
  explicit RaftLog(StoredRaft stored);

  const RaftState& state() const { return state_; }
  const std::optional<RaftSnapshot>& snapshot() const { return snapshot_; }
  const std::deque<RaftEntry>& entries() const { return entries_; }
  /// The index of the first entry there is, or would be.
  RaftIndex first() const { return first_; }
  /// The index of the last entry or of the snapshot; 0 if there is nothing.
  RaftIndex last() const { return first_ + entries_.size() - 1; }
  /// 0 for an entry that is not here.
  RaftTerm term_of(RaftIndex index) const;
  /// The last entry of kind `change` there is, or 0.
  RaftIndex last_change() const;

  void set_term(RaftStore& store, RaftTerm term);
  void set_vote(RaftStore& store, ReplicaId vote);
  /// Appends entries of which term, kind and data are given.
  void append(RaftStore& store, std::vector<RaftEntry> entries);
  void truncate(RaftStore& store, RaftIndex from);
  /// Keeps the last `trailing` of the entries the snapshot stands for.
  void take(RaftStore& store, RaftSnapshot snapshot, RaftIndex trailing);
  /// Another's snapshot, which replaces all entries there are.
  void install(RaftStore& store, RaftSnapshot snapshot);

 private:
  void put_state(RaftStore& store);

  RaftState state_;
  std::optional<RaftSnapshot> snapshot_;
  std::deque<RaftEntry> entries_;
  RaftIndex first_ = 1;
};

}  // namespace dunlin::sched
