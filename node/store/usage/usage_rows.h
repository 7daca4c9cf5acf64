// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "node/store/results.h"
#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/usage/usage_table.h"

namespace dunlin::node {

/// The table `usage` of an agent's database, as one commit writes it: what users used here, by the
/// hour. Additions to one row are put together, as a commit may have the ends of many tasks.
///
/// A row takes some 85 bytes, of jobs with replicas 120: three users of two classes each that work
/// day and night make 5 to 7 MB in 400 days.
class UsageRows {
 public:
  /// Rows are kept for sched::kUsageHours, and at most so many: 24 MB. Then the oldest hour goes.
  static constexpr std::int64_t kRowsMax = 200'000;

  /// What outlives a commit.
  struct Kept {
    std::int64_t pruned_in = -1;  ///< The hour in which old rows were last looked for.
  };

  /// Both must outlive this.
  UsageRows(Database& database, Kept& kept) : database_(database), kept_(kept) {}

  /// Looks in the table of attempts if that attempt counts as lost: call it before that row is
  /// written.
  Result<void> add(const sched::UsageNote& note);
  /// See sched::Store::set_usage().
  Result<void> set(std::uint64_t log, std::uint32_t epoch, const sched::UsageTable& table);
  /// Writes what was added, and deletes what is too old. Call it last.
  Result<void> write();

 private:
  using Key = std::pair<std::uint64_t, sched::UsageKey>;  ///< A log, and the key in it.
  struct Sum {
    std::uint32_t epoch = 0;
    sched::UsageSums sums;
  };
  void add(std::uint64_t log, std::uint32_t epoch, const sched::UsageRow& row);
  Result<void> prune();

  Database& database_;
  Kept& kept_;
  std::map<Key, Sum> pending_;
};

/// Rows of the table in the order of their keys, at most `query.limit` after `query.after`.
Result<std::vector<StoredUsage>> read_usage(Database& database, const UsageQuery& query);

}  // namespace dunlin::node
