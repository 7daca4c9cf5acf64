// SPDX-License-Identifier: MIT
#include "tests/support/memory_raft_store.h"

#include "sched/raft/raft_members.h"

namespace dunlin::test {

void MemoryRaftStore::append(sched::GroupId, std::span<const sched::RaftEntry> entries) {
  std::size_t bytes = 0;
  for (const auto& entry : entries) bytes += 40 + entry.data.size();
  later(
      bytes, [this, added = std::vector(entries.begin(), entries.end())](sched::StoredRaft& disk) {
        for (const auto& entry : added) {
          sched::RaftIndex expected = disk.snapshot ? disk.snapshot->index + 1 : 1;
          if (!disk.entries.empty()) expected = disk.entries.back().index + 1;
          if (entry.index != expected) {
            violate("entry " + std::to_string(entry.index) + " is not behind " +
                std::to_string(expected - 1));
          }
          if (entry.term > disk.state.term) violate("an entry of a term that is not stored");
          disk.entries.push_back(entry);
        }
      });
}

void MemoryRaftStore::truncate(sched::GroupId, sched::RaftIndex from) {
  later(8, [from](sched::StoredRaft& disk) {
    std::erase_if(disk.entries, [from](const auto& entry) { return entry.index >= from; });
  });
}

void MemoryRaftStore::put_snapshot(
    sched::GroupId, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) {
  later(40 + snapshot.data.size(), [this, snapshot, first](sched::StoredRaft& disk) {
    for (const auto& entry : disk.entries) {
      if (entry.index != snapshot.configuration_index) continue;
      if (sched::decode_members(entry.data) != snapshot.members) {
        violate("a snapshot of members that were never committed");
      }
    }
    disk.snapshot = snapshot;
    std::erase_if(disk.entries, [first](const auto& entry) { return entry.index < first; });
  });
}

void MemoryRaftStore::commit() {
  if (turn_.empty()) return;
  if (!disk_) disk_.emplace();
  for (const Record& record : turn_) record(*disk_);
  turn_.clear();
  ++commits_;
}

}  // namespace dunlin::test
