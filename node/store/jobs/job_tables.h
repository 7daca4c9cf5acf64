// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "node/store/damage_log.h"
#include "node/store/jobs/restored_jobs.h"
#include "node/store/sqlite.h"
#include "node/store/usage/usage_rows.h"
#include "overlay/result.h"
#include "sched/turn.h"
#include "sched/usage/usage_table.h"

namespace dunlin::node {

class SpentKeyTable;

/// The records of peers about jobs: the jobs themselves, the ends of their tasks and what is wished
/// of them, the workers that may hold some, what users used. Also what an administrator last said
/// of drains, because a peer says that likewise.
///
/// The calls that put or forget only queue; a commit of the SqliteStore writes them, in their
/// order, in the transaction of all else. The rows of a forgotten job's tasks go later, some with
/// each commit: they may be a million, and deleting those takes seconds.
class JobTables final : public sched::Store {
 public:
  /// All must outlive this. `spent_keys` takes the keys of forgotten jobs: it is a table with a
  /// commit of its own.
  JobTables(Database& database, DamageLog& damage, SpentKeyTable& spent_keys);

  void put_job(const sched::Job& job) override;
  void put_progress(const sched::JobId& job, const sched::JobProgress& progress) override;
  void put_report(const sched::JobId& job,
      const sched::Report& report,
      sched::PeerId worker,
      bool final) override;
  void put_loss(const sched::JobId& job, const sched::Attempt& lost, sched::PeerId worker) override;
  void put_retry(const sched::JobId& job, const sched::Attempt& last) override;
  void put_wishes(const sched::JobId& job,
      const sched::JobProgress& progress,
      sched::Wished wished,
      std::span<const sched::Attempt> attempts) override;
  void forget_job(const sched::JobId& job) override;
  void put_holder(const sched::StoredHolder& holder) override;
  void forget_holder(sched::PeerId worker) override;
  void put_spent_key(const sched::SpentKey& key) override;
  void put_usage(const sched::UsageNote& note) override;
  void set_usage(std::uint64_t log, std::uint32_t epoch, const sched::UsageTable& table) override;
  void put_drain(const std::optional<sched::DrainTerms>& terms) override;

  /// True if records are queued.
  bool dirty() const { return !queue_.empty(); }
  /// True if rows of forgotten jobs are still to be deleted.
  bool is_deleting() const { return deleting_; }
  // The steps of a commit: see SqliteStore.
  void begin_commit();
  Result<void> write();
  /// Some rows of forgotten jobs, so that no commit takes long.
  Result<void> delete_forgotten();
  void end_commit(bool done);

  /// All jobs an earlier incarnation left behind, ascending by number. A row that does not match
  /// its checksum is left out and named as damage. Before the first commit.
  Result<std::vector<sched::StoredJob>> restore();
  /// The workers that may hold tasks of jobs without replicas. Damaged rows are left out.
  Result<std::vector<sched::StoredHolder>> holders() { return read_holders(database_, damage_); }
  /// The highest number that any row gives to a job; 0 if there is none.
  Result<std::uint32_t> job_last() { return read_job_last(database_); }

  /// Second results put for a task that had one; each was ignored.
  std::uint64_t duplicates() const { return duplicates_; }

 private:
  struct PutJob {
    sched::JobId id;
    std::string name, owner;
    std::int64_t submitted_at;
    std::uint32_t task_count;
    std::string groups;  ///< By node/store/jobs/job_blob.h.
  };
  struct PutProgress {
    sched::JobId job;
    sched::JobProgress progress;
    std::string changes;  ///< By node/store/jobs/changes_blob.h.
  };
  struct PutReport {
    sched::JobId job;
    sched::Report report;
    sched::PeerId worker;
    bool final;
  };
  struct PutLoss {
    sched::JobId job;
    sched::Attempt lost;
    sched::PeerId worker;
    std::int64_t at;  ///< When that was noticed, ns since 1970.
  };
  struct PutRetry {
    sched::JobId job;
    sched::Attempt last;
  };
  struct PutWishes {
    sched::JobId job;
    sched::Wished wished;
    std::vector<sched::Attempt> attempts;
  };
  struct Forget {
    std::uint32_t job;
    std::uint64_t lineage;
  };
  struct ForgetHolder {
    sched::PeerId worker;
  };
  struct SetUsage {
    std::uint64_t log;
    std::uint32_t epoch;
    sched::UsageTable table;
  };
  struct PutDrain {
    std::string text;  ///< By node/store/drain_text.h.
  };
  using Record = std::variant<PutJob,
      PutProgress,
      PutReport,
      PutLoss,
      PutRetry,
      PutWishes,
      Forget,
      sched::StoredHolder,
      ForgetHolder,
      sched::UsageNote,
      SetUsage,
      PutDrain>;
  struct Writer;  ///< Writes one record.

  Database& database_;
  DamageLog& damage_;
  SpentKeyTable& spent_keys_;
  std::vector<Record> queue_;
  std::vector<Record> writing_;  ///< Empty but from begin_commit() to end_commit().
  /// Jobs with rows of tasks still to be deleted. A commit under way owns it.
  std::set<StoredJobKey> forgotten_;
  /// Those that the commit under way puts again, or of which it deletes the last rows.
  std::vector<StoredJobKey> revived_;
  bool deleting_ = false;  ///< There were some when no commit was under way.
  UsageRows::Kept usage_;  ///< A commit under way owns it.
  std::uint64_t duplicates_ = 0;
  std::uint64_t duplicates_uncommitted_ = 0;
};

}  // namespace dunlin::node
