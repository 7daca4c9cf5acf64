// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/frontend/keys/spent_keys.h"

namespace dunlin::node {

/// A row of the table.
struct StoredSpentKey {
  sched::SpentKey key;        ///< Without its time.
  std::int64_t spent_at = 0;  ///< When its job was forgotten, ns since 1970.
};

/// The table `spent_keys` of an agent's database: what is left of submissions of jobs that
/// are forgotten. Rows go by age and number as in sched::SpentKeys. Written by the commits of the
/// store.
class SpentKeyTable {
 public:
  /// Keeps `database`, which must outlive it.
  explicit SpentKeyTable(Database& database) : database_(database) {}

  /// Makes the table if there is none.
  Result<void> open();
  void put(const sched::SpentKey& key);
  /// Those that are not too old, the oldest first.
  Result<std::vector<StoredSpentKey>> load();

  /// True if something is to be written.
  bool dirty() const { return !queue_.empty(); }
  // The steps of a commit: see SqliteStore. What one that fails wanted to write waits for the next.
  void begin_commit();
  Result<void> write();
  void end_commit(bool done);

 private:
  Result<void> prune();

  Database& database_;
  std::vector<StoredSpentKey> queue_;
  std::vector<StoredSpentKey> writing_;
};

}  // namespace dunlin::node
