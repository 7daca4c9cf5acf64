// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "node/store/action_table.h"
#include "node/store/damage_log.h"
#include "node/store/data_lock.h"
#include "node/store/keys/spent_key_table.h"
#include "node/store/log_tables.h"
#include "node/store/nodes/gone_table.h"
#include "node/store/nodes/name_table.h"
#include "node/store/nodes/way_table.h"
#include "node/store/plan_tables.h"
#include "node/store/profile_table.h"
#include "node/store/raft_store.h"
#include "node/store/results.h"
#include "node/store/sqlite.h"
#include "node/store/usage/usage_rows.h"
#include "overlay/result.h"
#include "sched/turn.h"
#include "sched/usage/usage_table.h"

namespace dunlin::node {

/// When SQLite waits for the disk. `full`: at every commit, so that nothing acknowledged is lost
/// even if the machine loses power. `normal`: an agent's death loses nothing, a power cut may lose
/// the last commits.
enum class Synchronous { full, normal };

/// The records that must survive the death of an agent, in `<directory>/dunlin.sqlite` (WAL).
/// People may read the tables with sqlite3; node/store/store_schema.h describes them.
///
/// The put_...() and forget_job() calls only queue; a commit writes all that is queued in one
/// transaction. It has three steps, because a disk may take seconds: begin_commit(), then
/// write_commit(), which another thread may call, then end_commit(). Meanwhile the owner may queue
/// records for the next commit and ask for results, for which there is a second connection, but
/// nothing else.
class SqliteStore final : public sched::Store {
 public:
  /// Creates the database if there is none, and locks `directory` against other agents.
  /// Fails: `io` (unwritable, full), `refused` (another agent holds it; of a newer Dunlin),
  /// `corrupt` (the text names the file and the cure): but a few rows that cannot be read are left
  /// out and named by damage().
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
  void put_retry(const sched::JobId& job, const sched::Attempt& last) override;
  void put_wishes(const sched::JobId& job,
      const sched::JobProgress& progress,
      sched::Wished wished,
      std::span<const sched::Attempt> attempts) override;
  void forget_job(const sched::JobId& job) override;
  void put_holder(const sched::StoredHolder& holder) override;
  void forget_holder(sched::PeerId worker) override;
  void put_spent_key(const sched::SpentKey& key) override { spent_keys_.put(key); }
  void put_usage(const sched::UsageNote& note) override { queue_.push_back(note); }
  void set_usage(std::uint64_t log, std::uint32_t epoch, const sched::UsageTable& table) override {
    queue_.push_back(SetUsage{log, epoch, table});
  }
  void put_drain(const std::optional<sched::DrainTerms>& terms) override;

  /// The log of who did what.
  ActionTable& actions() { return actions_; }
  /// The replicas of cells' books here. A commit writes what is put there.
  RaftTables& raft() { return raft_; }

  /// What managers here plan, for other programs. A commit writes what is put there.
  PlanTables& plans() { return plans_; }

  /// What tasks of recurring jobs took. A commit writes what is put there.
  ProfileTable& profiles() { return profiles_; }

  /// The names of nodes. A commit writes what is put there.
  NameTable& names() { return names_; }
  const NameTable& names() const { return names_; }
  /// The nodes that left without a good-bye. A commit writes what is put there.
  GoneTable& gone() { return gone_; }
  /// How nodes were reached that do not answer where they say. A commit writes what is put there.
  WayTable& ways() { return ways_; }

  /// The keys of jobs that are forgotten. A commit writes what is put there.
  SpentKeyTable& spent_keys() { return spent_keys_; }

  /// The logs of jobs kept here. A commit writes what is put there.
  LogTables& logs() { return logs_; }

  /// True if records of jobs, of their logs, actions, or nodes that are gone, are queued.
  bool jobs_dirty() const {
    return !queue_.empty() || logs_.dirty() || actions_.dirty() || gone_.dirty();
  }
  /// True if a commit has something to write.
  bool dirty() const {
    return jobs_dirty() || spent_keys_.dirty() || raft_.dirty() || plans_.dirty() ||
        profiles_.dirty() || names_.dirty() || ways_.dirty() || deleting_;
  }
  /// Makes all that is queued durable, or, on failure (a full disk, say), nothing of it: then it
  /// stays queued and the next commit tries again. Nothing that depends on it may be told to
  /// anybody before that. The error text names the file and the cure.
  Result<void> commit();

  /// All that is queued is for the commit that begins. Requires that none is under way.
  void begin_commit();
  /// Writes it. Blocks for as long as the disk, or a program that writes to the database, takes.
  Result<void> write_commit();
  /// Says what write_commit() returned.
  void end_commit(bool done);

  /// The highest incarnation of the node that was put; 0 if none was.
  Result<std::uint32_t> incarnation();
  /// Written when it returns.
  Result<void> put_incarnation(std::uint32_t incarnation);
  /// What an administrator last said of drains; empty if that is none.
  Result<std::optional<sched::DrainTerms>> drain();
  /// All jobs an earlier incarnation left behind, ascending by number. A row that does not match
  /// its checksum is left out and named by damage().
  Result<std::vector<sched::StoredJob>> restore();
  /// The workers that may hold tasks of jobs without replicas. Damaged rows are left out.
  Result<std::vector<sched::StoredHolder>> holders();
  /// The highest number that any row gives to a job; 0 if there is none.
  Result<std::uint32_t> job_last();

  /// The record of one job, as put_job() had it. Fails with `not_found` if it is not on disk (yet),
  /// `corrupt` if its row does not match its checksum.
  Result<sched::Job> job(const sched::JobId& job);
  Result<std::vector<ResultRow>> results(const ResultQuery& query);
  /// The attempts of a task that were made before the one that counts, oldest first.
  Result<std::vector<AttemptRow>> attempts(const sched::JobId& job, std::uint32_t index);
  /// The same of all tasks of a job, page by page.
  Result<std::vector<AttemptRow>> attempts(const AttemptQuery& query);
  /// One value per recorded result of a job: nanoseconds, or bytes. In no particular order.
  Result<std::vector<std::int64_t>> values(const sched::JobId& job, Measure measure);

  /// Rows of usage, in order: what is queued, and not yet committed, is not among them.
  Result<std::vector<StoredUsage>> usage(const UsageQuery& query) {
    return read_usage(reader_, query);
  }
  /// True if there are any, or that cannot be told.
  bool has_usage() {
    const auto first = usage({.after = {}, .until_hour = INT64_MAX, .limit = 1});
    return !first || !first->empty();
  }

  /// The damage found so far: "job 7, which is left out". Each once, and the first hundred of
  /// damaged(). Grows as more is looked at.
  DamageLog& damage() { return damage_; }

  /// Second results put for a task that had one; each was ignored.
  std::uint64_t duplicates() const { return duplicates_; }
  /// Of the database file.
  const std::string& path() const { return path_; }

 private:
  struct PutJob {
    sched::JobId id;
    std::string name, owner;
    std::int64_t submitted_at;
    std::uint32_t task_count;
    std::string groups;  ///< By node/store/job_blob.h.
  };
  struct PutProgress {
    sched::JobId job;
    sched::JobProgress progress;
    std::string changes;  ///< By node/store/changes_blob.h.
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
  using JobKey = std::pair<std::uint32_t, std::uint64_t>;  ///< Number and lineage.
  struct Writer;                                           ///< Writes one record.

  SqliteStore(DataLock lock, Database database, Database reader, std::string path);
  /// Makes tables or checks those there are.
  Result<void> prepare(Synchronous synchronous);
  /// Some rows of one job, so that no commit takes long.
  Result<void> delete_forgotten();
  /// Results of jobs that an earlier incarnation had no time to delete; and rows of no job.
  Result<void> find_forgotten(bool may_delete);
  /// The rows of a query for attempts. What is damaged is left out, and noted.
  Result<std::vector<AttemptRow>> read_attempts(const sched::JobId& job, Statement& rows);
  /// Calls `read(row)` for each sound row of the table meta: key and value.
  Result<void> read_meta(const std::function<void(const Statement&)>& read);
  Result<std::vector<sched::StoredTask>> restore_tasks(const sched::JobId& job);
  Result<void> restore_wishes(const sched::JobId& job, std::vector<sched::StoredTask>& tasks);

  DataLock lock_;
  Database database_;
  Database reader_;  ///< For queries while a commit is under way.
  std::string path_;
  RaftTables raft_;
  DamageLog damage_;
  LogTables logs_;
  ActionTable actions_;
  PlanTables plans_;
  ProfileTable profiles_;
  NameTable names_;
  GoneTable gone_;
  WayTable ways_;
  SpentKeyTable spent_keys_;
  std::vector<Record> queue_;
  std::vector<Record> writing_;  ///< Empty but from begin_commit() to end_commit().
  /// Jobs with results still to be deleted, some with each commit: a million take seconds. A
  /// commit under way owns it.
  std::set<JobKey> forgotten_;
  /// Those that the commit under way puts again, or of which it deletes the last rows.
  std::vector<JobKey> revived_;
  bool deleting_ = false;  ///< There were some when no commit was under way.
  UsageRows::Kept usage_;  ///< A commit under way owns it.
  std::uint64_t duplicates_ = 0;
  std::uint64_t duplicates_uncommitted_ = 0;
};

}  // namespace dunlin::node
