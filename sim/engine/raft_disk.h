// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <span>
#include <vector>

#include "sched/raft/raft_store.h"

namespace dunlin::sim {

/// The books that a simulated node keeps on its disk. What is put is durable at once: in a
/// simulation nobody dies in the middle of a turn.
class RaftDisk final : public sched::RaftStore {
 public:
  void put_state(const sched::RaftState& state) override { groups_[state.group].state = state; }
  void append(sched::GroupId group, std::span<const sched::RaftEntry> entries) override;
  void truncate(sched::GroupId group, sched::RaftIndex from) override;
  void put_snapshot(
      sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) override;
  void forget_group(sched::GroupId group) override { groups_.erase(group); }

  /// What a later life finds, by group.
  std::vector<sched::StoredRaft> contents() const;

 private:
  std::map<sched::GroupId, sched::StoredRaft> groups_;
};

}  // namespace dunlin::sim
