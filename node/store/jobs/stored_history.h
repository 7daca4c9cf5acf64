// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "node/store/damage_log.h"
#include "node/store/results.h"
#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/job.h"

namespace dunlin::node {

/// Questions of people to the records of jobs: how tasks ended, how often they were attempted, what
/// users used. It reads by a connection of its own, so it may be asked while a commit is under way;
/// what is queued, and not yet committed, it does not see. A row that does not match its checksum
/// is left out, and named as damage.
class StoredHistory {
 public:
  /// Both must outlive this.
  StoredHistory(Database& reader, DamageLog& damage) : reader_(reader), damage_(damage) {}

  /// The record of one job, as put_job() had it. Fails with `not_found` if it is not on disk (yet),
  /// `corrupt` if its row does not match its checksum.
  Result<sched::Job> job(const sched::JobId& job);
  Result<std::vector<ResultRow>> results(const ResultQuery& query);
  /// The attempts of a task that were made before the one that counts, oldest first.
  Result<std::vector<AttemptRow>> attempts(const sched::JobId& job, std::uint32_t index);
  /// The same of all tasks of a job, page by page.
  Result<std::vector<AttemptRow>> attempts(const AttemptQuery& query);

  /// Rows of usage, in order.
  Result<std::vector<StoredUsage>> usage(const UsageQuery& query);
  /// True if there are any, or that cannot be told.
  bool has_usage();

 private:
  /// The rows of a query for attempts.
  Result<std::vector<AttemptRow>> read_attempts(const sched::JobId& job, Statement& rows);

  Database& reader_;
  DamageLog& damage_;
};

}  // namespace dunlin::node
