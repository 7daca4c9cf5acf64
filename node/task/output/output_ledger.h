// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "sched/job.h"

namespace dunlin::node {

/// Names a job where output is kept.
struct OutputJobKey {
  std::uint64_t home = 0;
  std::uint32_t number = 0;
  std::uint64_t lineage = 0;

  static OutputJobKey of(const sched::JobId& job) {
    return {.home = job.home.value, .number = job.number, .lineage = job.lineage};
  }
  friend auto operator<=>(const OutputJobKey&, const OutputJobKey&) = default;
};

/// Names a user; 0: not known.
using OutputUser = std::uint64_t;

/// What is kept of a job, as it occupies the disk, in bytes.
struct OutputJobFiles {
  std::uint64_t stream = 0;
  std::uint64_t index = 0;
  std::uint64_t others = 0;
  std::int64_t used_at = 0;  ///< Last write, ns since 1970: the order of deletion.
  OutputUser user = 0;
  bool roams = true;  ///< See OutputStore::Origin.
  std::uint64_t bytes() const;
};

/// Which jobs have output here, of which users, and how much. It knows nothing of files.
class OutputLedger {
 public:
  struct User {
    std::uint64_t bytes = 0;
    std::set<std::pair<std::int64_t, OutputJobKey>> jobs{};  ///< By age.
  };

  /// Counts a job's files as they are now, instead of as they were.
  void put(const OutputJobKey& job, const OutputJobFiles& files);
  /// Requires that it is there.
  void erase(const OutputJobKey& job);
  /// Null: it has none.
  const OutputJobFiles* find(const OutputJobKey& job) const;
  const User* find_user(OutputUser user) const;

  const std::map<OutputJobKey, OutputJobFiles>& jobs() const { return jobs_; }
  const std::map<OutputUser, User>& users() const { return users_; }
  /// Of all jobs.
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::map<OutputJobKey, OutputJobFiles> jobs_;
  std::map<OutputUser, User> users_;
  std::uint64_t bytes_ = 0;
};

}  // namespace dunlin::node
