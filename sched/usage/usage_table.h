// SPDX-License-Identifier: MIT
#pragma once

#include <map>

#include "sched/usage/usage.h"

namespace dunlin::sched {

/// Sums by hour, home, user and class. Memory: some 200 bytes a row.
class UsageTable {
 public:
  void add(const UsageRow& row) { sched::add(rows_[row.key], row.sums); }

  const std::map<UsageKey, UsageSums>& rows() const { return rows_; }
  /// All rows together.
  UsageSums total() const {
    UsageSums total;
    for (const auto& [key, sums] : rows_) sched::add(total, sums);
    return total;
  }
  friend bool operator==(const UsageTable&, const UsageTable&) = default;

 private:
  std::map<UsageKey, UsageSums> rows_;
};

}  // namespace dunlin::sched
