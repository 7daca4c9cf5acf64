// SPDX-License-Identifier: MIT
#include "node/store/store.h"

#include "node/store/job_blob.h"
#include "node/store/store_schema.h"
#include "node/store/store_words.h"

namespace dunlin::node {
namespace {

/// Rows of forgotten jobs deleted with one commit: a few milliseconds.
constexpr int kDeleteMost = 2000;

}  // namespace

SqliteStore::SqliteStore(DataLock lock, Database database, std::string path)
    : lock_(std::move(lock)),
      database_(std::move(database)),
      path_(std::move(path)),
      raft_(database_) {}

SqliteStore::~SqliteStore() = default;

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(
    const std::string& directory, Synchronous synchronous) {
  auto lock = DataLock::acquire(directory);
  if (!lock) return tl::unexpected(lock.error());
  auto path = directory + "/dunlin.sqlite";
  auto database = Database::open(path);
  if (!database) return tl::unexpected(database.error());
  std::unique_ptr<SqliteStore> store(
      new SqliteStore(std::move(*lock), std::move(*database), std::move(path)));
  if (auto prepared = store->prepare(synchronous); !prepared) {
    return tl::unexpected(prepared.error());
  }
  if (auto found = store->find_forgotten(); !found) return tl::unexpected(found.error());
  return store;
}

Result<void> SqliteStore::prepare(Synchronous synchronous) {
  const auto ask = [&](const char* sql) -> Result<std::int64_t> {
    auto statement = database_.prepare(sql);
    auto row = statement.step();
    if (!row) return tl::unexpected(row.error());
    return statement.number(0);
  };
  const auto version = ask("pragma user_version");
  if (!version) return tl::unexpected(version.error());
  const auto tables = ask("select count(*) from sqlite_schema");
  if (!tables) return tl::unexpected(tables.error());
  if (*version > kSchemaVersion) {
    return failure(ErrorKind::refused,
        "store: " + path_ + " was written by a newer Dunlin (its schema is " +
            std::to_string(*version) + ", this one knows " + std::to_string(kSchemaVersion) +
            "); install that one, or give this agent another data directory");
  }
  if (*version == 0 && *tables != 0) {
    return failure(ErrorKind::corrupt,
        "store: " + path_ + " is a database, but none of Dunlin's; move it away to start empty");
  }
  const char* const pragmas = synchronous == Synchronous::full
      ? "pragma journal_mode = wal; pragma synchronous = full; pragma journal_size_limit = 67108864"
      : "pragma journal_mode = wal; pragma synchronous = normal; "
        "pragma journal_size_limit = 67108864";
  if (auto set = database_.execute(pragmas); !set) return set;
  const auto make = [&](const std::string& schema) {
    const auto statements =
        "begin;" + schema + "pragma user_version = " + std::to_string(kSchemaVersion) + "; commit";
    return database_.execute(statements.c_str());
  };
  if (*version == 0) return make(std::string(kSchema) + kRaftSchema);
  auto check = database_.prepare("pragma quick_check(1)");
  auto row = check.step();
  if (!row) return tl::unexpected(row.error());
  if (check.text(0) != "ok") {
    auto error = database_.error(SQLITE_CORRUPT);
    error.text += " [" + std::string(check.text(0)) + "]";
    return tl::unexpected(error);
  }
  return *version < kSchemaVersion ? make(kRaftSchema) : Result<void>();
}

void SqliteStore::put_job(const sched::Job& job) {
  queue_.push_back(PutJob{.home = hex(job.id.home),
      .number = job.id.number,
      .name = job.name,
      .owner = job.owner,
      .submitted_at = job.submitted_at,
      .task_count = job.task_count(),
      .groups = encode_groups(job.groups, job.service_class)});
}

void SqliteStore::put_progress(const sched::JobId& job, const sched::JobProgress& progress) {
  queue_.push_back(PutProgress{job.number, progress});
}

void SqliteStore::put_report(
    const sched::JobId& job, const sched::Report& report, sched::PeerId worker, bool final) {
  queue_.push_back(PutReport{job.number, report, worker, final});
}

void SqliteStore::put_loss(
    const sched::JobId& job, const sched::Attempt& lost, sched::PeerId worker) {
  queue_.push_back(PutLoss{job.number, lost, worker});
}

void SqliteStore::forget_job(const sched::JobId& job) {
  queue_.push_back(Forget{job.number});
}

Result<void> SqliteStore::commit() {
  if (!dirty()) return {};
  duplicates_uncommitted_ = 0;
  auto done = database_.execute("begin immediate");
  if (done) done = write_queue();
  if (done) done = raft_.write();
  if (done) done = delete_forgotten();
  if (done) done = database_.execute("commit");
  if (!done) {
    if (database_.in_transaction()) (void)database_.execute("rollback");
    return done;
  }
  for (const auto& record : queue_) {
    if (const auto* forget = std::get_if<Forget>(&record)) forgotten_.insert(forget->job);
  }
  queue_.clear();
  raft_.written();
  duplicates_ += duplicates_uncommitted_;
  return {};
}

Result<void> SqliteStore::write_queue() {
  for (const auto& record : queue_) {
    auto applied = std::visit([&](const auto& put) { return apply(put); }, record);
    if (!applied) return applied;
  }
  return {};
}

Result<void> SqliteStore::apply(const PutJob& job) {
  return database_
      .prepare(
          "insert into jobs(number, home, name, owner, submitted_at, task_count, groups) "
          "values(?, ?, ?, ?, ?, ?, ?)")
      .bind(job.number, std::string_view(job.home), std::string_view(job.name),
          std::string_view(job.owner), job.submitted_at, job.task_count, Blob{job.groups})
      .run();
}

Result<void> SqliteStore::apply(const PutProgress& put) {
  return database_.prepare("update jobs set restarts = ?, cancelled = ? where number = ?")
      .bind(put.progress.restarts, put.progress.cancelled, put.job)
      .run();
}

Result<void> SqliteStore::apply(const PutReport& put) {
  if (!put.final) {
    return insert_attempt(
        "insert or replace into attempts values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", put.job,
        put.report, word_of(put.report.outcome), put.worker);
  }
  auto inserted =
      insert_attempt("insert or ignore into results values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          put.job, put.report, word_of(put.report.outcome), put.worker);
  if (inserted && database_.changes() == 0) ++duplicates_uncommitted_;
  return inserted;
}

Result<void> SqliteStore::apply(const PutLoss& put) {
  return insert_attempt(
      "insert or replace into attempts values(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", put.job,
      {.index = put.lost.index, .attempt = put.lost.attempt}, kLost, put.worker);
}

Result<void> SqliteStore::apply(const Forget& put) {
  return database_.prepare("delete from jobs where number = ?").bind(put.job).run();
}

Result<void> SqliteStore::insert_attempt(const char* sql,
    std::uint32_t job,
    const sched::Report& report,
    std::string_view outcome,
    sched::PeerId worker) {
  const auto node = hex(worker);
  return database_.prepare(sql)
      .bind(job, report.index, report.attempt, outcome, report.status, std::string_view(node),
          report.wall.count(), report.cpu.count(), report.memory_peak, report.out_bytes,
          report.err_bytes, report.started_at, std::string_view(report.detail))
      .run();
}

Result<void> SqliteStore::delete_forgotten() {
  if (forgotten_.empty()) return {};
  const std::uint32_t job = *forgotten_.begin();
  auto results = database_
                     .prepare(
                         "delete from results where job = ?1 and task in "
                         "(select task from results where job = ?1 limit ?2)")
                     .bind(job, kDeleteMost)
                     .run();
  if (!results) return results;
  int deleted = database_.changes();
  auto attempts = database_
                      .prepare(
                          "delete from attempts where job = ?1 and task in "
                          "(select task from attempts where job = ?1 limit ?2)")
                      .bind(job, kDeleteMost)
                      .run();
  if (!attempts) return attempts;
  deleted += database_.changes();
  if (deleted == 0) forgotten_.erase(job);
  return {};
}

Result<void> SqliteStore::find_forgotten() {
  // A job's results are neighbours: hop from job to job instead of looking at every row.
  for (const char* sql : {"select min(job) from results where job > ?",
           "select min(job) from attempts where job > ?"}) {
    for (std::int64_t job = -1;;) {
      auto next = database_.prepare(sql);
      auto row = next.bind(job).step();
      if (!row) return tl::unexpected(row.error());
      if (next.is_null(0)) break;
      job = next.number(0);
      auto known = database_.prepare("select 1 from jobs where number = ?");
      auto found = known.bind(job).step();
      if (!found) return tl::unexpected(found.error());
      if (!*found) forgotten_.insert(narrow<std::uint32_t>(job));
    }
  }
  return {};
}

Result<std::uint32_t> SqliteStore::next_incarnation() {
  auto statement = database_.prepare(
      "insert into meta values('incarnation', 1) "
      "on conflict(key) do update set value = value + 1 returning value");
  auto row = statement.step();
  if (!row) return tl::unexpected(row.error());
  const auto incarnation = narrow<std::uint32_t>(statement.number(0));
  // The row is durable only when the statement has run to its end.
  if (auto end = statement.step(); !end) return tl::unexpected(end.error());
  return incarnation;
}

}  // namespace dunlin::node
