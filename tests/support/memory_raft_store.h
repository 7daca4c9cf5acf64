// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sched/raft/raft_store.h"

namespace dunlin::test {

/// The disk of one replica. Records are put into the turn at hand and become durable together, when
/// the test says so; a crash before that forgets them.
class MemoryRaftStore final : public sched::RaftStore {
 public:
  void put_state(const sched::RaftState& state) override {
    later(48, [state](sched::StoredRaft& disk) { disk.state = state; });
  }
  void append(sched::GroupId group, std::span<const sched::RaftEntry> entries) override;
  void truncate(sched::GroupId group, sched::RaftIndex from) override;
  void put_snapshot(
      sched::GroupId group, const sched::RaftSnapshot& snapshot, sched::RaftIndex first) override;
  void forget_group(sched::GroupId) override {
    later(0, [](sched::StoredRaft& disk) { disk = {}; });
  }

  /// The turn's records are durable ...
  void commit();
  /// ... or never were.
  void crash() { turn_.clear(); }
  /// The disk is lost.
  void lose() {
    crash();
    disk_.reset();
  }
  /// The records that a later life finds.
  const std::optional<sched::StoredRaft>& disk() const { return disk_; }
  /// Spoils what lies on the disk.
  sched::StoredRaft& spoil() { return *disk_; }

  /// The first act that a correct replica never does, e.g. append behind a gap; empty if all is
  /// well.
  const std::string& violation() const { return violation_; }
  std::uint64_t commits() const { return commits_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  using Record = std::function<void(sched::StoredRaft&)>;
  void later(std::size_t bytes, Record record) {
    bytes_ += bytes;
    turn_.push_back(std::move(record));
  }
  void violate(std::string what) {
    if (violation_.empty()) violation_ = std::move(what);
  }

  std::vector<Record> turn_;
  std::optional<sched::StoredRaft> disk_;
  std::string violation_;
  std::uint64_t commits_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace dunlin::test
