// SPDX-License-Identifier: MIT
#include "node/agent/records.h"

#include <utility>

#include "node/wall_clock.h"
#include "overlay/param_entries.h"

// Promises rest on marks. Whatever is queued belongs to the next commit, and a mark is that
// commit's number; once a commit of that number or a later one has succeeded, all that was queued
// before the mark is on disk. So the loop never waits for a disk, and what has to wait for it
// compares two numbers.
namespace dunlin::node {
namespace {

constexpr overlay::Duration kRetryPeriod = std::chrono::seconds(1);
/// A commit that takes longer is told, at most so often.
constexpr overlay::Duration kSlow = std::chrono::seconds(1);
constexpr overlay::Duration kSlowReminder = std::chrono::minutes(1);

}  // namespace

Records::Records(std::unique_ptr<SqliteStore> store,
    IdentityMarks& marks,
    Log& log,
    Metrics& metrics,
    std::function<void()> wake)
    : store_(std::move(store)),
      marks_(marks),
      log_(log),
      metrics_(metrics),
      thread_(std::make_unique<CommitThread>(
          [this] { return store_->write_commit(); }, std::move(wake))) {}

// The thread writes into the store, which is a member and goes right after this.
Records::~Records() {
  if (const auto committed = thread_->wait()) store_->end_commit(committed->has_value());
}

// May block the loop for as long as the commit under way takes; then nothing is in the hands of the
// thread.
SqliteStore& Records::quiet_store(overlay::Time now) {
  if (const auto committed = thread_->wait()) end(now, *committed);
  return *store_;
}

// Called at each turn of the loop, and never waits. After a failure it pauses: a full disk would be
// asked at every turn, and what is queued is not lost by waiting.
void Records::commit(overlay::Time now) {
  if (const auto committed = thread_->take()) end(now, *committed);
  if (!thread_->busy() && (error_.empty() || now >= commit_again_)) begin(now);
}

// Two waits: the commit that is under way was begun before the latest changes, so a second has to
// carry these.
void Records::commit_and_wait(overlay::Time now) {
  if (const auto committed = thread_->wait()) end(now, *committed);
  begin(now);
  if (const auto committed = thread_->wait()) end(now, *committed);
}

void Records::begin(overlay::Time now) {
  // The number of a commit is what marks compare with: something told to others waits until the
  // commit that holds it is durable. Jobs and books have a mark each, so that neither waits for the
  // other's.
  if (!store_->dirty()) return;
  ++begun_;
  begun_at_ = now;
  if (store_->jobs_dirty()) jobs_last_ = begun_;
  if (store_->raft().dirty()) books_last_ = begun_;
  store_->begin_commit();
  thread_->begin();
}

// end_commit(false) puts the changes back before those that came since; the next commit has them
// all, so `durable_` may go from an old number straight to the newest.
void Records::end(overlay::Time now, const Result<void>& committed) {
  store_->end_commit(committed.has_value());
  if (committed) {
    durable_ = begun_;
    ++metrics_.commits;
    if (!error_.empty()) log_.say(overlay::Level::info, "store_recovered");
    error_.clear();
  } else {
    ++metrics_.commits_failed;
    commit_again_ = now + kRetryPeriod;
    // Only the first failure of a series is told, and its end: each attempt fails in the same way.
    if (error_.empty()) {
      log_.say(overlay::Level::error, "store_failed", {{"error", committed.error().text}});
    }
    error_ = committed.error().text;
  }
  if (now - begun_at_ < kSlow || (slow_told_ && now - *slow_told_ < kSlowReminder)) return;
  slow_told_ = now;
  log_.say(overlay::Level::warn, "store_slow",
      {{"took", overlay::to_string(now - begun_at_)},
          {"cure", "jobs and results wait for the disk: look who else uses it, or the database"}});
}

void Records::Jobs::put_job(const sched::Job& job) {
  records_.store_->jobs().put_job(job);
  // At once, not with the commit: an agent that dies before it must not give the number again.
  records_.marks_.use_job(job.id.number);
}

void Records::Jobs::put_progress(const sched::JobId& job, const sched::JobProgress& progress) {
  records_.store_->jobs().put_progress(job, progress);
}

void Records::Jobs::put_report(
    const sched::JobId& job, const sched::Report& report, overlay::PeerId worker, bool final) {
  records_.store_->jobs().put_report(job, report, worker, final);
  if (final && records_.told_) records_.told_(job, report, worker);
}

void Records::Jobs::put_loss(
    const sched::JobId& job, const sched::Attempt& lost, overlay::PeerId worker) {
  records_.store_->jobs().put_loss(job, lost, worker);
}

void Records::Jobs::put_retry(const sched::JobId& job, const sched::Attempt& last) {
  records_.store_->jobs().put_retry(job, last);
  if (records_.retried_) records_.retried_(job);
}

void Records::Jobs::put_wishes(const sched::JobId& job,
    const sched::JobProgress& progress,
    sched::Wished wished,
    std::span<const sched::Attempt> attempts) {
  records_.store_->jobs().put_wishes(job, progress, wished, attempts);
}

void Records::Jobs::put_spent_key(const sched::SpentKey& key) {
  records_.store_->jobs().put_spent_key(key);
}

void Records::Jobs::put_usage(const sched::UsageNote& note) {
  records_.store_->jobs().put_usage(note);
}

void Records::Jobs::set_usage(
    std::uint64_t log, std::uint32_t epoch, const sched::UsageTable& table) {
  records_.store_->jobs().set_usage(log, epoch, table);
}

void Records::Jobs::put_drain(const std::optional<sched::DrainTerms>& terms) {
  records_.store_->jobs().put_drain(terms);
}

void Records::Jobs::forget_job(const sched::JobId& job) {
  records_.store_->jobs().forget_job(job);
}

void Records::Jobs::put_holder(const sched::StoredHolder& holder) {
  records_.store_->jobs().put_holder(holder);
}

void Records::Jobs::forget_holder(overlay::PeerId worker) {
  records_.store_->jobs().forget_holder(worker);
}

void Records::Logs::put_log(const sched::replica::LogFacts& facts) {
  records_.store_->logs().put_log(facts);
}

void Records::Logs::put_batch(
    std::uint64_t log, std::uint64_t position, const sched::replica::Batch& batch) {
  records_.store_->logs().put_batch(log, position, batch);
}

void Records::Logs::truncate(std::uint64_t log, std::uint64_t position) {
  records_.store_->logs().truncate(log, position);
}

void Records::Logs::put_office(std::uint64_t log, const sched::replica::HomeRecord& office) {
  records_.store_->logs().put_office(log, office);
}

void Records::Logs::put_entry(std::uint64_t log, const sched::replica::Entry& entry) {
  records_.store_->logs().put_entry(log, entry);
}

void Records::Logs::forget_log(std::uint64_t log) {
  records_.store_->logs().forget_log(log);
}

// Times are stored by the wall clock: the loop's clock begins anew with each process.
std::optional<overlay::Time> Records::Logs::time_of(std::int64_t wall) const {
  if (wall == 0 || !records_.now_) return std::nullopt;
  return loop_time_of(wall, {.now = records_.now_(), .wall_ns = wall_clock_ns()});
}

}  // namespace dunlin::node
