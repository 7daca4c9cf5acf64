// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "sched/raft/raft_store.h"
#include "sim/engine/members.h"

namespace dunlin::sim {

/// The books that a simulated node keeps on its disk. A record is durable at once, because no
/// simulated node dies in the middle of a turn.
class RaftDisk final : public sched::RaftStore {
 public:
  void put_state(const sched::RaftState& state) override { groups_[state.group].state = state; }
  void append(sched::GroupId group, std::span<const sched::RaftEntry> entries) override;
  void truncate(sched::GroupId group, sched::RaftIndex from) override;
  void put_snapshot(
      sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) override;
  void forget_group(sched::GroupId group) override { groups_.erase(group); }

  /// The records that a later incarnation finds, by group.
  std::vector<sched::StoredRaft> contents() const;

 private:
  std::map<sched::GroupId, sched::StoredRaft> groups_;
};

/// The disks of all nodes: what is put goes to that of the peer that acts. Only nodes that keep
/// books have one.
class RaftDisks final : public sched::RaftStore {
 public:
  /// If they are not `kept`, nothing is: it takes memory, and only nodes that come back read it.
  RaftDisks(const Members& members, bool kept) : members_(members), kept_(kept) {}

  void put_state(const sched::RaftState& state) override;
  void append(sched::GroupId group, std::span<const sched::RaftEntry> entries) override;
  void truncate(sched::GroupId group, sched::RaftIndex from) override;
  void put_snapshot(
      sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) override;
  void forget_group(sched::GroupId group) override;

  /// The disk of a peer; nullptr if it never kept books.
  const RaftDisk* of(std::uint32_t peer) const;

 private:
  RaftDisk& acting() { return disks_[members_.acting]; }

  const Members& members_;
  bool kept_;
  std::unordered_map<std::uint32_t, RaftDisk> disks_;  ///< By peer.
};

}  // namespace dunlin::sim
