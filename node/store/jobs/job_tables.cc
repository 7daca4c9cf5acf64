// SPDX-License-Identifier: MIT
#include "node/store/jobs/job_tables.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "node/store/checked_rows.h"
#include "node/store/drain_text.h"
#include "node/store/jobs/changes_blob.h"
#include "node/store/jobs/job_blob.h"
#include "node/store/jobs/job_ends.h"
#include "node/store/jobs/use_blob.h"
#include "node/store/keys/spent_key_table.h"
#include "node/store/store_schema.h"
#include "node/store/store_words.h"
#include "node/wall_clock.h"
#include "overlay/ensure.h"

// Records queue up in memory during a turn and become part of one transaction, so that the disk is
// asked once for all that a turn changed. Records that a commit cannot write go back to the head of
// the queue, in order, and are tried again with the next one: records say "from now on", and an old
// one written after a newer would undo it.
namespace dunlin::node {
namespace {

/// Rows of forgotten jobs deleted with one commit: a few milliseconds.
constexpr int kDeleteMax = 2000;
/// Likewise jobs.
constexpr int kForgetMax = 200;
/// The ways to delete the rows of a job's tasks: all of one table at once, or some.
struct TaskRows {
  const char* all;
  const char* some;
};
constexpr TaskRows kTaskRows[] = {
    {"delete from results where job = ?1 and lineage = ?2",
        "delete from results where job = ?1 and lineage = ?2 and task in "
        "(select task from results where job = ?1 and lineage = ?2 limit ?3)"},
    {"delete from attempts where job = ?1 and lineage = ?2",
        "delete from attempts where job = ?1 and lineage = ?2 and task in "
        "(select task from attempts where job = ?1 and lineage = ?2 limit ?3)"},
    {"delete from wishes where job = ?1 and lineage = ?2",
        "delete from wishes where job = ?1 and lineage = ?2 and task in "
        "(select task from wishes where job = ?1 and lineage = ?2 limit ?3)"}};

Result<void> insert_attempt(Database& database,
    const char* sql,
    const sched::JobId& job,
    const sched::Report& report,
    std::string_view outcome,
    sched::PeerId worker) {
  const auto node = hex(worker);
  const std::string used = encode_use(report.use);
  return database.prepare(sql)
      .bind(job.number, job.lineage, report.index, report.attempt, outcome, report.status,
          std::string_view(node), report.wall.count(), report.cpu.count(), report.memory_peak,
          report.out_bytes, report.err_bytes, report.started_at, std::string_view(report.detail),
          Blob{used})
      .run();
}

}  // namespace

JobTables::JobTables(Database& database, DamageLog& damage, SpentKeyTable& spent_keys)
    : database_(database),
      damage_(damage),
      spent_keys_(spent_keys) {}

// Encoded in the loop, not by the writer's thread: the job may change, or go, before the commit.
void JobTables::put_job(const sched::Job& job) {
  queue_.push_back(PutJob{.id = job.id,
      .name = job.name,
      .owner = job.owner,
      .submitted_at = job.submitted_at,
      .task_count = job.task_count(),
      .groups = encode_groups(job.groups, terms_of(job))});
}

void JobTables::put_progress(const sched::JobId& job, const sched::JobProgress& progress) {
  queue_.push_back(PutProgress{job, progress, encode_changes(progress)});
}

void JobTables::put_report(
    const sched::JobId& job, const sched::Report& report, sched::PeerId worker, bool final) {
  queue_.push_back(PutReport{job, report, worker, final});
}

// A worker that was lost tells no time, so this is when its home noticed.
void JobTables::put_loss(
    const sched::JobId& job, const sched::Attempt& lost, sched::PeerId worker) {
  queue_.push_back(PutLoss{job, lost, worker, wall_clock_ns()});
}

void JobTables::put_retry(const sched::JobId& job, const sched::Attempt& last) {
  queue_.push_back(PutRetry{job, last});
}

void JobTables::put_wishes(const sched::JobId& job,
    const sched::JobProgress&,
    sched::Wished wished,
    std::span<const sched::Attempt> attempts) {
  queue_.push_back(PutWishes{job, wished, {attempts.begin(), attempts.end()}});
}

void JobTables::forget_job(const sched::JobId& job) {
  queue_.push_back(Forget{job.number, job.lineage});
}

void JobTables::put_holder(const sched::StoredHolder& holder) {
  queue_.push_back(holder);
}

void JobTables::forget_holder(sched::PeerId worker) {
  queue_.push_back(ForgetHolder{worker});
}

void JobTables::put_spent_key(const sched::SpentKey& key) {
  spent_keys_.put(key);
}

void JobTables::put_usage(const sched::UsageNote& note) {
  queue_.push_back(note);
}

void JobTables::set_usage(std::uint64_t log, std::uint32_t epoch, const sched::UsageTable& table) {
  queue_.push_back(SetUsage{log, epoch, table});
}

void JobTables::put_drain(const std::optional<sched::DrainTerms>& terms) {
  queue_.push_back(PutDrain{drain_text(terms)});
}

/// Writes one record. It runs on the writer's thread while the loop goes on, so it may use what is
/// handed to it here, and nothing else of the store.
struct JobTables::Writer {
  Result<void> operator()(const PutJob& job) {
    if (auto cleared = clear(job.id); !cleared) return cleared;
    const auto home = hex(job.id.home);
    return database.prepare(sql::put_job().c_str())
        .bind(job.id.number, job.id.lineage, std::string_view(home), std::string_view(job.name),
            std::string_view(job.owner), job.submitted_at, job.task_count, Blob{job.groups})
        .run();
  }
  Result<void> operator()(const PutProgress& put) const {
    auto updated = database.prepare(sql::put_progress().c_str())
                       .bind(put.job.number, put.job.lineage, put.progress.restarts,
                           cancelled_number(put.progress), Blob{put.changes})
                       .run();
    return updated ? put_end(database, put.job, put.progress.ended) : updated;
  }
  Result<void> operator()(const PutReport& put) const {
    const auto outcome = word_of(put.report);
    const auto& statement = put.final ? sql::put_result() : sql::put_attempt();
    auto inserted =
        insert_attempt(database, statement.c_str(), put.job, put.report, outcome, put.worker);
    if (put.final && inserted && database.changes() == 0) ++duplicates;
    return inserted;
  }
  Result<void> operator()(const PutLoss& put) const {
    return insert_attempt(database, sql::put_attempt().c_str(), put.job,
        {.index = put.lost.index, .attempt = put.lost.attempt, .started_at = put.at}, kLost,
        put.worker);
  }
  Result<void> operator()(const PutRetry& put) const {
    auto moved = database.prepare(sql::put_retry().c_str())
                     .bind(put.job.number, put.job.lineage, put.last.index, put.last.attempt)
                     .run();
    if (!moved) return moved;
    return database.prepare("delete from results where job = ? and lineage = ? and task = ?")
        .bind(put.job.number, put.job.lineage, put.last.index)
        .run();
  }
  Result<void> operator()(const PutWishes& put) const {
    const std::string_view word = sched::kWishedWords[static_cast<std::size_t>(put.wished)];
    for (const sched::Attempt& attempt : put.attempts) {
      auto inserted =
          database.prepare(sql::put_wish().c_str())
              .bind(put.job.number, put.job.lineage, attempt.index, attempt.attempt, word)
              .run();
      if (!inserted) return inserted;
    }
    return {};
  }
  // Only the job's own row. Its tasks may have a million, and deleting those at once would hold up
  // every other record: delete_forgotten() takes some with each commit.
  Result<void> operator()(const Forget& put) {
    forgetting.emplace(put.job, put.lineage);
    auto deleted = database.prepare("delete from jobs where number = ? and lineage = ?")
                       .bind(put.job, put.lineage)
                       .run();
    if (!deleted) return deleted;
    return database.prepare("delete from ends where job = ? and lineage = ?")
        .bind(put.job, put.lineage)
        .run();
  }
  Result<void> operator()(const sched::StoredHolder& put) const {
    const auto node = hex(put.worker.id);
    const overlay::Address& at = put.worker.address;
    return database.prepare(sql::put_holder().c_str())
        .bind(std::string_view(node), at.high, at.low, at.port, put.away.count())
        .run();
  }
  Result<void> operator()(const ForgetHolder& put) const {
    const auto node = hex(put.worker);
    return database.prepare("delete from holders where node = ?")
        .bind(std::string_view(node))
        .run();
  }
  /// A job that was forgotten comes back: a log that was handed over may be taken back. Rows of its
  /// earlier time that are still to be deleted go now, or those to come would go with them.
  Result<void> clear(const sched::JobId& job) {
    const StoredJobKey key{job.number, job.lineage};
    const bool waits = forgotten.erase(key) > 0;
    if (waits) revived.push_back(key);
    if (forgetting.erase(key) == 0 && !waits) return {};
    for (const TaskRows& rows : kTaskRows) {
      auto deleted = database.prepare(rows.all).bind(job.number, job.lineage).run();
      if (!deleted) return deleted;
    }
    return {};
  }
  Result<void> operator()(const sched::UsageNote& note) { return usage.add(note); }
  Result<void> operator()(const SetUsage& set) { return usage.set(set.log, set.epoch, set.table); }
  Result<void> operator()(const PutDrain& put) const {
    return database.prepare(sql::put_meta().c_str())
        .bind(std::string_view("drain"), std::string_view(put.text))
        .run();
  }

  Database& database;
  std::uint64_t& duplicates;
  std::set<StoredJobKey>& forgotten;
  std::vector<StoredJobKey>& revived;
  UsageRows usage;
  std::set<StoredJobKey> forgetting{};  ///< Jobs that this commit has forgotten so far.
};

// From here to end_commit() the writer's thread has writing_, and the loop fills queue_.
void JobTables::begin_commit() {
  overlay::ensure(writing_.empty(), "two commits at once");
  writing_.swap(queue_);
}

Result<void> JobTables::write() {
  duplicates_uncommitted_ = 0;
  Writer writer{
      database_, duplicates_uncommitted_, forgotten_, revived_, UsageRows(database_, usage_)};
  for (const Record& record : writing_) {
    if (auto done = std::visit(writer, record); !done) return done;
  }
  return writer.usage.write();
}

// The memory that changed while writing is settled here, back in the loop: with a commit that
// failed, the memory must say again what the disk does.
void JobTables::end_commit(bool done) {
  if (done) {
    for (const auto& record : writing_) {
      // In the order of the records: a job that was forgotten and put again within one commit
      // stays.
      if (const auto* forget = std::get_if<Forget>(&record)) {
        forgotten_.emplace(forget->job, forget->lineage);
      } else if (const auto* progress = std::get_if<PutProgress>(&record);
          progress != nullptr && progress->progress.ended && progress->progress.ended->pruned) {
        forgotten_.emplace(progress->job.number, progress->job.lineage);
      } else if (const auto* put = std::get_if<PutJob>(&record)) {
        forgotten_.erase({put->id.number, put->id.lineage});
      }
    }
    duplicates_ += duplicates_uncommitted_;
  } else {
    // Records that came meanwhile go behind those that failed.
    std::ranges::move(queue_, std::back_inserter(writing_));
    queue_.swap(writing_);
    // The rollback has brought their old rows back, which are still to be deleted.
    forgotten_.insert(revived_.begin(), revived_.end());
  }
  revived_.clear();
  writing_.clear();
  deleting_ = !forgotten_.empty();
}

// Those of many small jobs, too: they may end, and be forgotten, faster than there are commits.
Result<void> JobTables::delete_forgotten() {
  int left = kDeleteMax;
  for (int looked = 0; !forgotten_.empty() && left > 0 && looked < kForgetMax; ++looked) {
    const auto [job, lineage] = *forgotten_.begin();
    for (const TaskRows& rows : kTaskRows) {
      if (left == 0) break;
      auto done = database_.prepare(rows.some).bind(job, lineage, left).run();
      if (!done) return done;
      left -= std::min(left, database_.changes());
    }
    // All of its rows, unless the last of them were as many as might go.
    if (left == 0) break;
    revived_.emplace_back(job, lineage);  // If the commit fails, they are there again.
    forgotten_.erase(forgotten_.begin());
  }
  return {};
}

Result<std::vector<sched::StoredJob>> JobTables::restore() {
  auto restored = read_jobs(database_, damage_);
  if (!restored) return tl::unexpected(restored.error());
  forgotten_.merge(restored->forgotten);
  deleting_ = !forgotten_.empty();
  return std::move(restored->jobs);
}

}  // namespace dunlin::node
