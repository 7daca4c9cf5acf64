// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "node/store/data_lock.h"
#include "node/store/raft_store.h"
#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/turn.h"

namespace dunlin::node {

/// When SQLite waits for the disk. `full`: at every commit, so that nothing acknowledged is lost
/// even if the machine loses power. `normal`: an agent's death loses nothing, a power cut may lose
/// the last commits.
enum class Synchronous { full, normal };

/// One task's result, as people ask for it.
struct ResultRow {
  sched::Report report;
  sched::PeerId worker;
};

/// One attempt that did not count: it failed and was made again, or its worker was lost.
struct AttemptRow {
  sched::Report report;  ///< Of a lost one only index and attempt.
  sched::PeerId worker;
  bool lost = false;
};

/// Which results to list: at most `limit` of `job` with index >= `first`, ascending.
struct ResultQuery {
  std::uint32_t job = 0;
  std::uint32_t first = 0;
  std::uint32_t limit = 1000;
  bool failed_only = false;  ///< Only those that did not exit with 0.
};

/// What to draw percentiles of.
enum class Measure { wall, cpu, memory_peak };

/// What must survive the death of an agent, in `<directory>/dunlin.sqlite` (WAL). People may read
/// the tables with sqlite3; node/store/store_schema.h describes them.
///
/// The put_...() and forget_job() calls only queue; commit() writes all that is queued in one
/// transaction. The agent calls it once per loop iteration, before messages leave.
class SqliteStore final : public sched::Store {
 public:
  /// Creates the database if there is none, and locks `directory` against other agents.
  /// Fails: `io` (unwritable, full), `refused` (another agent holds it; of a newer Dunlin),
  /// `corrupt` (the text names the file and the cure).
  static Result<std::unique_ptr<SqliteStore>> open(
      const std::string& directory, Synchronous synchronous = Synchronous::full);
  ~SqliteStore();
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;

  void put_job(const sched::Job& job) override;
  void put_progress(const sched::JobId& job, const sched::JobProgress& progress) override;
  void put_report(const sched::JobId& job,
      const sched::Report& report,
      sched::PeerId worker,
      bool final) override;
  void put_loss(const sched::JobId& job, const sched::Attempt& lost, sched::PeerId worker) override;
  void forget_job(const sched::JobId& job) override;

  /// The replicas of cells' books here. What is put there is written by commit().
  RaftTables& raft() { return raft_; }

  /// True if commit() has something to write.
  bool dirty() const { return !queue_.empty() || !forgotten_.empty() || raft_.dirty(); }
  /// Makes all that is queued durable, or, on failure (a full disk, say), nothing of it: then it
  /// stays queued and the next commit() tries again. Nothing that depends on it may be told to
  /// anybody before that. The error text names the file and the cure.
  Result<void> commit();

  /// The number of this life of the node: 1, 2, ... Durable when it returns.
  Result<std::uint32_t> next_incarnation();
  /// All jobs an earlier life left behind, ascending by number.
  Result<std::vector<sched::StoredJob>> restore();

  Result<std::vector<ResultRow>> results(const ResultQuery& query);
  /// The attempts of a task that were made before the one that counts, oldest first.
  Result<std::vector<AttemptRow>> attempts(std::uint32_t job, std::uint32_t index);
  /// One value per recorded result of a job: nanoseconds, or bytes. In no particular order.
  Result<std::vector<std::int64_t>> values(std::uint32_t job, Measure measure);

  /// Second results put for a task that had one; each was ignored.
  std::uint64_t duplicates() const { return duplicates_; }
  const std::string& path() const { return path_; }

 private:
  struct PutJob {
    std::string home;
    std::uint32_t number;
    std::string name, owner;
    std::int64_t submitted_at;
    std::uint32_t task_count;
    std::string groups;  ///< By node/store/job_blob.h.
  };
  struct PutProgress {
    std::uint32_t job;
    sched::JobProgress progress;
  };
  struct PutReport {
    std::uint32_t job;
    sched::Report report;
    sched::PeerId worker;
    bool final;
  };
  struct PutLoss {
    std::uint32_t job;
    sched::Attempt lost;
    sched::PeerId worker;
  };
  struct Forget {
    std::uint32_t job;
  };
  using Record = std::variant<PutJob, PutProgress, PutReport, PutLoss, Forget>;

  SqliteStore(DataLock lock, Database database, std::string path);
  Result<void> apply(const PutJob& record);
  Result<void> apply(const PutProgress& record);
  Result<void> apply(const PutReport& record);
  Result<void> apply(const PutLoss& record);
  Result<void> apply(const Forget& record);
  /// Makes tables or checks those there are.
  Result<void> prepare(Synchronous synchronous);
  Result<void> write_queue();
  Result<void> delete_forgotten();
  /// Results of jobs that an earlier life had no time to delete.
  Result<void> find_forgotten();
  Result<std::vector<sched::StoredTask>> restore_tasks(std::uint32_t job);
  Result<void> insert_attempt(const char* sql,
      std::uint32_t job,
      const sched::Report& report,
      std::string_view outcome,
      sched::PeerId worker);

  DataLock lock_;
  Database database_;
  std::string path_;
  RaftTables raft_;
  std::vector<Record> queue_;
  /// Jobs whose results are still to be deleted, some with each commit: a million take seconds.
  std::set<std::uint32_t> forgotten_;
  std::uint64_t duplicates_ = 0;
  std::uint64_t duplicates_uncommitted_ = 0;
};

}  // namespace dunlin::node
