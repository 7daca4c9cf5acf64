// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/memory_raft_store.h"

namespace dunlin::test {

/// The disk of a node: one replica for each cell that it keeps books of.
class GroupedRaftStore final : public sched::RaftStore {
 public:
  void put_state(const sched::RaftState& state) override { groups_[state.group].put_state(state); }
  void append(sched::GroupId group, std::span<const sched::RaftEntry> entries) override {
    groups_[group].append(group, entries);
  }
  void truncate(sched::GroupId group, sched::RaftIndex from) override {
    groups_[group].truncate(group, from);
  }
  void put_snapshot(
      sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) override {
    groups_[group].put_snapshot(group, snapshot, first);
  }
  void forget_group(sched::GroupId group) override { groups_[group].lose(); }

  void commit();
  void crash();
  void lose() { groups_.clear(); }
  std::vector<sched::StoredRaft> disk() const;
  std::string violation() const;

 private:
  std::map<sched::GroupId, MemoryRaftStore> groups_;
};

/// The records of one turn, for a store that gets them later, all or none.
class RaftBatch final : public sched::RaftStore {
 public:
  void put_state(const sched::RaftState& state) override {
    later([state](sched::RaftStore& store) { store.put_state(state); });
  }
  void append(sched::GroupId group, std::span<const sched::RaftEntry> entries) override {
    later([group, copy = std::vector(entries.begin(), entries.end())](
              sched::RaftStore& store) { store.append(group, copy); });
  }
  void truncate(sched::GroupId group, sched::RaftIndex from) override {
    later([group, from](sched::RaftStore& store) { store.truncate(group, from); });
  }
  void put_snapshot(
      sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) override {
    later([group, snapshot, first](
              sched::RaftStore& store) { store.put_snapshot(group, snapshot, first); });
  }
  void forget_group(sched::GroupId group) override {
    later([group](sched::RaftStore& store) { store.forget_group(group); });
  }

  bool empty() const { return records_.empty(); }
  /// They reach the disk.
  void commit_to(GroupedRaftStore& store) const {
    for (const auto& record : records_) record(store);
    store.commit();
  }

 private:
  using Record = std::function<void(sched::RaftStore&)>;
  void later(Record record) { records_.push_back(std::move(record)); }

  std::vector<Record> records_;
};

}  // namespace dunlin::test
