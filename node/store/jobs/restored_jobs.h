// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "node/store/damage_log.h"
#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/turn.h"

// The records of jobs by an earlier incarnation of the agent, as the next one reads it.
namespace dunlin::node {

/// A job as the keys of its rows name it: number and lineage.
using StoredJobKey = std::pair<std::uint32_t, std::uint64_t>;

struct RestoredJobs {
  std::vector<sched::StoredJob> jobs;  ///< Ascending by number.
  /// Jobs that are gone or need no rows of tasks any more, and have some: a crash came before all
  /// of them were deleted. Empty if the row of some job is damaged: its tasks' rows look just the
  /// same.
  std::set<StoredJobKey> forgotten;
};

/// Rows that do not match their checksums are left out, and named as damage.
Result<RestoredJobs> read_jobs(Database& database, DamageLog& damage);
/// The workers that may hold tasks of jobs without replicas. Damaged rows are left out.
Result<std::vector<sched::StoredHolder>> read_holders(Database& database, DamageLog& damage);
/// The highest number that any row gives to a job; 0 if there is none.
Result<std::uint32_t> read_job_last(Database& database);

}  // namespace dunlin::node
