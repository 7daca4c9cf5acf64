// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "node/store/damage_log.h"
#include "node/store/shared_logs.h"
#include "node/store/sqlite.h"
#include "overlay/result.h"
#include "overlay/rng.h"
#include "sched/logs/log_store.h"

namespace dunlin::node {

/// The logs of jobs that an agent keeps, its own and those of other nodes, in the tables `logs` and
/// `log_batches` of its database (node/store/store_schema.h). The calls that put or forget only
/// queue; a commit of the SqliteStore writes them in the transaction of all else.
///
/// The database has a name of its own, the *replica*, by which the sets of logs know it: 64 random
/// bits. A database that may lack what it once had takes another name, so that no set counts on it.
class LogTables {
 public:
  /// What may have taken records that were durable before.
  struct Risks {
    std::string boot;              ///< The name of the machine's boot.
    bool power_cut_takes = false;  ///< The last commits may be gone after another boot.
    bool outdated = false;         ///< An older database was brought back.
  };

  /// Both must outlive this. `shared` names the file of SharedLogs.
  LogTables(Database& database, DamageLog& damage, std::string shared)
      : database_(database),
        damage_(damage),
        shared_(std::move(shared)) {}

  // As sched::replica::LogStore's.
  void put_log(const sched::replica::LogFacts& facts);
  /// At the end of the log: `position` is one more than that of the batch before.
  void put_batch(std::uint64_t log, std::uint64_t position, const sched::replica::Batch& batch);
  /// Takes away all batches behind `position`.
  void truncate(std::uint64_t log, std::uint64_t position);
  /// What this node promised as the home of the log.
  void put_office(std::uint64_t log, const sched::replica::HomeRecord& office);
  /// What stands in the books of it, as this node last heard.
  void put_entry(std::uint64_t log, const sched::replica::Entry& entry);
  void forget_log(std::uint64_t log);

  /// True if records are queued.
  bool dirty() const { return !queue_.empty(); }
  // The steps of a commit: see SqliteStore.
  void begin_commit() { writing_.swap(queue_); }
  Result<void> write();
  void end_commit(bool done);

  /// Reads all logs. Draws a name for the database if it has none, or must take another one: by
  /// `risks`, or because a row is damaged. Then logs are set aside, and named as damage; but one in
  /// whose sets no other node ever was goes on under another name, since only this node promised
  /// anything of it. Before the first commit; what it changes is written when it returns.
  Result<void> open(const Risks& risks, overlay::Rng& rng);
  /// The name of the database. Requires open().
  std::uint64_t replica() const { return replica_; }
  /// The logs that open() found, ascending, once.
  std::vector<sched::replica::StoredLog> take_stored() { return std::exchange(stored_, {}); }

 private:
  /// What the table `logs` says of one.
  struct Header {
    sched::replica::LogFacts facts;
    sched::replica::HomeRecord office;
    sched::replica::Entry entry;
  };
  struct PutBatch {
    std::uint64_t log;
    std::uint64_t position;
    sched::replica::Batch batch;
  };
  struct Truncate {
    std::uint64_t log;
    std::uint64_t position;
  };
  struct Forget {
    std::uint64_t log;
  };
  using Record = std::variant<Header, PutBatch, Truncate, Forget>;

  Result<void> apply(const Header& put);
  Result<void> apply(const PutBatch& put);
  Result<void> apply(const Truncate& truncate);
  Result<void> apply(const Forget& forget);
  void put(const Header& header) { queue_.emplace_back(header); }
  /// The steps of open(), in its transaction.
  Result<void> look(const Risks& risks, overlay::Rng& rng);
  /// The text of a sound row of meta; empty if there is none.
  Result<std::string> meta(std::string_view key);
  /// Reads headers and batches into stored_. What is damaged is named, and left out: then it
  /// returns false.
  Result<bool> read();
  /// False if a batch is damaged or missing: then the log is, too.
  Result<bool> read_batches(sched::replica::StoredLog& log);
  /// Takes another name, for that reason, which is told of each log that is set aside.
  Result<void> begin_anew(std::uint64_t replica, const std::string& why, overlay::Rng& rng);
  Result<void> set_aside(std::uint64_t log);

  Database& database_;
  DamageLog& damage_;
  SharedLogs shared_;  ///< A commit under way owns it.
  std::uint64_t replica_ = 0;
  std::vector<sched::replica::StoredLog> stored_;
  std::map<std::uint64_t, Header> headers_;  ///< As they were put last.
  std::vector<Record> queue_;
  std::vector<Record> writing_;  ///< Empty but from begin_commit() to end_commit().
};

}  // namespace dunlin::node
