// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "node/store/action_table.h"
#include "node/store/damage_log.h"
#include "node/store/data_lock.h"
#include "node/store/jobs/job_tables.h"
#include "node/store/jobs/stored_history.h"
#include "node/store/keys/spent_key_table.h"
#include "node/store/log_tables.h"
#include "node/store/nodes/gone_table.h"
#include "node/store/nodes/name_table.h"
#include "node/store/nodes/way_table.h"
#include "node/store/plan_tables.h"
#include "node/store/profile_table.h"
#include "node/store/raft_store.h"
#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "sched/turn.h"

namespace dunlin::node {

/// When SQLite waits for the disk. `full`: at every commit, so that nothing acknowledged is lost
/// even if the machine loses power. `normal`: an agent's death loses nothing, a power cut may lose
/// the last commits.
enum class Synchronous { full, normal };

/// The records that must survive the death of an agent, in `<directory>/dunlin.sqlite` (WAL).
/// People may read the tables with sqlite3; node/store/store_schema.h describes them.
///
/// It is made of tables, each a class of its own, and of the transaction that they share: what is
/// put into a table is only queued, and a commit writes all that is queued in any of them. It has
/// three steps, because a disk may take seconds: begin_commit(), then write_commit(), which another
/// thread may call, then end_commit(). Meanwhile the owner may queue records for the next commit
/// and ask for results, for which there is a second connection, but nothing else.
class SqliteStore {
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

  /// The records of peers: jobs, their tasks, and the use of users. A commit writes what is put
  /// there.
  JobTables& jobs() { return jobs_; }
  const JobTables& jobs() const { return jobs_; }
  /// The questions of people. It sees what was committed.
  StoredHistory& history() { return history_; }

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
    return jobs_.dirty() || logs_.dirty() || actions_.dirty() || gone_.dirty();
  }
  /// True if a commit has something to write.
  bool dirty() const {
    return jobs_dirty() || spent_keys_.dirty() || raft_.dirty() || plans_.dirty() ||
        profiles_.dirty() || names_.dirty() || ways_.dirty() || jobs_.is_deleting();
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

  /// The damage found so far: "job 7, which is left out". Each once, and the first hundred of
  /// damaged(). Grows as more is looked at.
  DamageLog& damage() { return damage_; }

  /// Of the database file.
  const std::string& path() const { return path_; }

 private:
  SqliteStore(DataLock lock, Database database, Database reader, std::string path);
  /// Makes tables or checks those there are.
  Result<void> prepare(Synchronous synchronous);
  /// Calls `read(row)` for each sound row of the table meta: key and value.
  Result<void> read_meta(const std::function<void(const Statement&)>& read);

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
  JobTables jobs_;
  StoredHistory history_;
};

}  // namespace dunlin::node
