// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/raft/raft_store.h"

namespace dunlin::node {

/// The Raft groups of an agent, in the tables raft_... of its database (node/store/store_schema.h).
/// The calls of sched::RaftStore only queue; a commit of the SqliteStore writes them in the
/// transaction of all else.
class RaftTables final : public sched::RaftStore {
 public:
  /// Keeps `database` for as long as it lives.
  explicit RaftTables(Database& database) : database_(database) {}

  void put_state(const sched::RaftState& state) override { queue(PutState{state}); }
  void append(sched::GroupId group, std::span<const sched::RaftEntry> entries) override;
  void truncate(sched::GroupId group, sched::RaftIndex from) override {
    queue(Truncate{group, from});
  }
  void put_snapshot(
      sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) override {
    queue(PutSnapshot{group, snapshot, first});
  }
  void forget_group(sched::GroupId group) override { queue(Forget{group}); }

  /// True if records are queued.
  bool dirty() const { return !queue_.empty(); }
  /// All that is queued is for the commit that begins. Ones that follow wait for the next.
  void begin_commit() { writing_.swap(queue_); }
  /// Writes it, within the caller's transaction. On a thread, perhaps.
  Result<void> write();
  /// After the transaction. If it is not `done`, all goes back to the front of the queue.
  void end_commit(bool done);

  /// All groups that an earlier incarnation left behind, ascending, as they are: sched::verify()
  /// tells whether they are any good.
  Result<std::vector<sched::StoredRaft>> restore();
  /// Renames the groups that are no good, so that restore() does not find them, no later one mixes
  /// them up with what a new replica writes, and an operator may still look at them. Returns what
  /// was wrong, a line each. With `outdated`, the database is an older one that was brought back:
  /// no group is any good, for its replica promised more since.
  Result<std::vector<std::string>> set_damaged_aside(bool outdated = false);

 private:
  struct PutState {
    sched::RaftState state;
  };
  struct Append {
    sched::GroupId group;
    sched::RaftEntry entry;
  };
  struct Truncate {
    sched::GroupId group;
    sched::RaftIndex from;
  };
  struct PutSnapshot {
    sched::GroupId group;
    sched::RaftSnapshot snapshot;
    sched::RaftIndex first;
  };
  struct Forget {
    sched::GroupId group;
  };
  using Record = std::variant<PutState, Append, Truncate, PutSnapshot, Forget>;

  /// Made where it stays: g++ 12 warns of what the move of a variant would read, were it another.
  template <typename T>
  void queue(T record) {
    queue_.emplace_back(std::in_place_type<T>, std::move(record));
  }

  Result<void> apply(const PutState& put);
  Result<void> apply(const Append& append);
  Result<void> apply(const Truncate& truncate);
  Result<void> apply(const PutSnapshot& put);
  Result<void> apply(const Forget& forget);
  Result<void> restore_entries(sched::StoredRaft& stored);
  Result<void> restore_snapshot(sched::StoredRaft& stored);
  Result<bool> has_strays();
  Result<void> set_aside(sched::GroupId group);

  Database& database_;
  std::vector<Record> queue_;
  std::vector<Record> writing_;  ///< Empty but from begin_commit() to end_commit().
};

}  // namespace dunlin::node
