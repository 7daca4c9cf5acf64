// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sched/kernel.h"
#include "sched/raft/message.h"

namespace dunlin::sched {

/// The id of a Raft group, the same on all of its replicas. It names the books.
using GroupId = std::uint64_t;
/// One replica of one group, drawn by chance when its records are made and kept with them. A node
/// with a lost disk comes back as another replica: it cannot vote twice under one name, and does
/// not count until it is added. 0 is no voter.
using ReplicaId = std::uint64_t;
using RaftTerm = std::uint64_t;
using RaftIndex = std::uint64_t;
using RaftMember = raft::Member;
using raft::EntryKind;
using raft::MemberRole;

/// Bounds in bytes: one entry; the entries or the snapshot in one message; a snapshot.
inline constexpr std::size_t kEntryMax = raft::Entry::kDataMax;
inline constexpr std::size_t kRpcDataMax = raft::InstallSnapshot::kDataMax;
inline constexpr std::size_t kSnapshotMax = 16u << 20;
/// The members that a group can have, voters or not.
inline constexpr std::size_t kMembersMax = raft::InstallSnapshot::kMembersMax;

/// The state that a replica must never forget from one incarnation to the next, besides its log.
struct RaftState {
  GroupId group = 0;
  ReplicaId replica = 0;
  RaftTerm term = 0;   ///< The latest term it has seen.
  ReplicaId vote = 0;  ///< The replica it voted for in that term, or 0.
  std::uint32_t checksum = 0;

  friend bool operator==(const RaftState&, const RaftState&) = default;
};

struct RaftEntry {
  RaftIndex index = 0;  ///< From 1.
  RaftTerm term = 0;
  EntryKind kind = EntryKind::command;
  std::string data;
  std::uint32_t checksum = 0;

  friend bool operator==(const RaftEntry&, const RaftEntry&) = default;
};

/// The state machine and the members as they were after entry `index`.
struct RaftSnapshot {
  RaftIndex index = 0;
  RaftTerm term = 0;  ///< The term of that entry.
  RaftIndex configuration_index = 0;
  std::vector<RaftMember> members;
  std::string data;
  std::uint32_t checksum = 0;

  friend bool operator==(const RaftSnapshot&, const RaftSnapshot&) = default;
};

/// The records that one incarnation of a replica leaves to the next.
struct StoredRaft {
  RaftState state;
  std::optional<RaftSnapshot> snapshot;
  std::vector<RaftEntry> entries;  ///< Ascending, without a gap.

  friend bool operator==(const StoredRaft&, const StoredRaft&) = default;
};

/// The store of a replica's state. A driver implements it.
/// **Records put in a turn are durable before a message sent in that turn leaves**; a turn's
/// records become durable together or not at all.
class RaftStore {
 public:
  virtual void put_state(const RaftState& state) = 0;
  virtual void append(GroupId group, std::span<const RaftEntry> entries) = 0;
  /// Removes the entries from `from` on.
  virtual void truncate(GroupId group, RaftIndex from) = 0;
  /// Replaces the snapshot, and forgets the entries before `first`.
  virtual void put_snapshot(GroupId group, const RaftSnapshot& snapshot, RaftIndex first) = 0;
  /// The group is history here: all its records go.
  virtual void forget_group(GroupId group) = 0;

 protected:
  ~RaftStore() = default;
};

}  // namespace dunlin::sched
