// SPDX-License-Identifier: MIT
#include "sched/raft/raft_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sched/raft/raft_check.h"

// The log exists twice, here for libraft's questions and in the store for the next incarnation.
// Both change in the same call, and the store's records become durable with the turn, before any
// message of it leaves; so the two never differ where another replica could notice. The entries
// form one run of indexes, `first_` to last(), right behind or overlapping the snapshot. So an
// entry is found by subtraction, and a gap cannot be expressed.
namespace dunlin::sched {

RaftLog::RaftLog(StoredRaft stored)
    : state_(stored.state),
      snapshot_(std::move(stored.snapshot)),
      entries_(std::make_move_iterator(stored.entries.begin()),
          std::make_move_iterator(stored.entries.end())) {
  if (!entries_.empty()) {
    first_ = entries_.front().index;
  } else if (snapshot_) {
    first_ = snapshot_->index + 1;
  }
}

RaftTerm RaftLog::term_of(RaftIndex index) const {
  if (index >= first_ && index <= last()) return entries_[index - first_].term;
  return snapshot_ && snapshot_->index == index ? snapshot_->term : 0;
}

RaftIndex RaftLog::last_change() const {
  const auto is_change = [](const RaftEntry& entry) { return entry.kind == EntryKind::change; };
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), is_change);
  return found == entries_.rend() ? 0 : found->index;
}

void RaftLog::put_state(RaftStore& store) {
  state_.checksum = checksum_of(state_);
  store.put_state(state_);
}

void RaftLog::set_term(RaftStore& store, RaftTerm term) {
  state_.term = term;
  // A vote belongs to one term, so a new term begins without one.
  state_.vote = 0;
  put_state(store);
}

void RaftLog::set_vote(RaftStore& store, ReplicaId vote) {
  state_.vote = vote;
  put_state(store);
}

void RaftLog::append(RaftStore& store, std::vector<RaftEntry> entries) {
  RaftIndex index = last();
  for (RaftEntry& entry : entries) {
    entry.index = ++index;
    entry.checksum = checksum_of(state_.group, entry);
  }
  store.append(state_.group, entries);
  std::ranges::move(entries, std::back_inserter(entries_));
}

void RaftLog::truncate(RaftStore& store, RaftIndex from) {
  ensure(from >= first_, "a log cut where it is a snapshot");
  if (from > last()) return;
  entries_.resize(from - first_);
  store.truncate(state_.group, from);
}

void RaftLog::take(RaftStore& store, RaftSnapshot snapshot, RaftIndex trailing) {
  if (snapshot.index > trailing) {
    // Some entries stay behind the snapshot: a follower that lags a little needs them, and not the
    // whole snapshot.
    const RaftIndex keep = snapshot.index - trailing + 1;
    for (; first_ < keep; ++first_) entries_.pop_front();
  }
  snapshot.checksum = checksum_of(state_.group, snapshot);
  store.put_snapshot(state_.group, snapshot, first_);
  snapshot_ = std::move(snapshot);
}

void RaftLog::install(RaftStore& store, RaftSnapshot snapshot) {
  if (!entries_.empty()) truncate(store, first_);
  first_ = snapshot.index + 1;
  snapshot.checksum = checksum_of(state_.group, snapshot);
  store.put_snapshot(state_.group, snapshot, first_);
  snapshot_ = std::move(snapshot);
}

}  // namespace dunlin::sched
