// SPDX-License-Identifier: MIT
#include "sim/engine/raft_disk.h"

namespace dunlin::sim {

void RaftDisk::append(sched::GroupId group, std::span<const sched::RaftEntry> entries) {
  auto& log = groups_[group].entries;
  log.insert(log.end(), entries.begin(), entries.end());
}

void RaftDisk::truncate(sched::GroupId group, sched::RaftIndex from) {
  std::erase_if(groups_[group].entries,
      [from](const sched::RaftEntry& entry) { return entry.index >= from; });
}

void RaftDisk::put_snapshot(
    sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) {
  sched::StoredRaft& stored = groups_[group];
  stored.snapshot = snapshot;
  std::erase_if(
      stored.entries, [first](const sched::RaftEntry& entry) { return entry.index < first; });
}

std::vector<sched::StoredRaft> RaftDisk::contents() const {
  std::vector<sched::StoredRaft> all;
  for (const auto& [group, stored] : groups_) all.push_back(stored);
  return all;
}

void RaftDisks::put_state(const sched::RaftState& state) {
  if (kept_) acting().put_state(state);
}

void RaftDisks::append(sched::GroupId group, std::span<const sched::RaftEntry> entries) {
  if (kept_) acting().append(group, entries);
}

void RaftDisks::truncate(sched::GroupId group, sched::RaftIndex from) {
  if (kept_) acting().truncate(group, from);
}

void RaftDisks::put_snapshot(
    sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) {
  if (kept_) acting().put_snapshot(group, snapshot, first);
}

void RaftDisks::forget_group(sched::GroupId group) {
  if (kept_) acting().forget_group(group);
}

const RaftDisk* RaftDisks::of(std::uint32_t peer) const {
  const auto disk = disks_.find(peer);
  // Peers that never kept books have no disk, and take no memory for one.
  return disk == disks_.end() ? nullptr : &disk->second;
}

}  // namespace dunlin::sim
