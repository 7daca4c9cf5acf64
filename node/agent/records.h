// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "node/identity/identity_marks.h"
#include "node/log.h"
#include "node/metrics.h"
#include "node/store/commit_thread.h"
#include "node/store/store.h"
#include "sched/logs/log_store.h"
#include "sched/turn.h"

namespace dunlin::node {

/// The records that must survive this agent, and the moments at which they are written.
///
/// The peer's turns only queue records; commit() has those of one or several iterations of the loop
/// written in one transaction, on a thread, so that no disk stops the loop. A commit that fails (a
/// full disk, say) is logged once, when it begins to fail, and tried again each second. One that is
/// slow is logged.
class Records {
 public:
  using OnResult =
      std::function<void(const sched::JobId&, const sched::Report&, overlay::PeerId worker)>;
  /// A place in the order of commits, by which what was queued is known to be on disk.
  using Mark = std::uint64_t;

  /// `marks` are told of the numbers of jobs. `wake` makes the loop turn, from any thread, once a
  /// commit has ended. All but the store must outlive this.
  Records(std::unique_ptr<SqliteStore> store,
      IdentityMarks& marks,
      Log& log,
      Metrics& metrics,
      std::function<void()> wake);
  /// Waits for the commit under way.
  ~Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  /// Reads the loop's clock by `now`, to say how old the jobs of other homes are.
  void tell_time(std::function<overlay::Time()> now) { now_ = std::move(now); }
  /// Calls `told` with the one result of each task when it is queued, from within the peer's turn.
  void tell_results(OnResult told) { told_ = std::move(told); }
  /// Called when a result is taken back, because its task is to run again.
  using OnRetry = std::function<void(const sched::JobId&)>;
  void tell_retries(OnRetry told) { retried_ = std::move(told); }

  // Where a peer's turns put records.
  sched::Store& jobs() { return jobs_; }
  sched::RaftStore& books() { return store_->raft(); }
  sched::replica::LogStore& logs() { return logs_; }

  /// To ask for results; and to restore from, before the first commit.
  SqliteStore& store() { return *store_; }
  const SqliteStore& store() const { return *store_; }
  /// To write to it at once. Waits for the commit under way: for rare moments.
  SqliteStore& quiet_store(overlay::Time now);

  // All that was queued so far is on disk once durable() holds for the mark: of jobs, of books, and
  // of both.
  Mark jobs_mark() const { return store_->jobs_dirty() ? begun_ + 1 : jobs_last_; }
  Mark books_mark() const { return store_->raft().dirty() ? begun_ + 1 : books_last_; }
  Mark mark() const { return std::max(jobs_mark(), books_mark()); }
  /// The records on disk.
  Mark durable_mark() const { return durable_; }
  /// True if all that was queued before that mark was taken is on disk.
  bool durable(Mark mark) const { return mark <= durable_; }
  /// True if all that was queued is on disk.
  bool durable() const { return durable(mark()); }

  /// Why it is not, as the last commit said; empty if commits succeed.
  const std::string& error() const { return error_; }
  /// True while a commit is under way: what waits for it may still be told.
  bool busy() const { return thread_->busy(); }
  /// Hears of the commit that has ended, and begins one of what is queued, unless one is under way
  /// or failed within the last second.
  void commit(overlay::Time now);
  /// Writes all that is queued, and waits for it.
  void commit_and_wait(overlay::Time now);

 private:
  /// Passes on to the store, and tells of results.
  class Jobs final : public sched::Store {
   public:
    explicit Jobs(Records& records) : records_(records) {}
    void put_job(const sched::Job& job) override;
    void put_progress(const sched::JobId& job, const sched::JobProgress& progress) override;
    void put_report(const sched::JobId& job,
        const sched::Report& report,
        overlay::PeerId worker,
        bool final) override;
    void put_loss(
        const sched::JobId& job, const sched::Attempt& lost, overlay::PeerId worker) override;
    void put_retry(const sched::JobId& job, const sched::Attempt& last) override;
    void put_wishes(const sched::JobId& job,
        const sched::JobProgress& progress,
        sched::Wished wished,
        std::span<const sched::Attempt> attempts) override;
    void forget_job(const sched::JobId& job) override;
    void put_holder(const sched::StoredHolder& holder) override;
    void forget_holder(overlay::PeerId worker) override;
    void put_spent_key(const sched::SpentKey& key) override;
    void put_usage(const sched::UsageNote& note) override;
    void set_usage(std::uint64_t log, std::uint32_t epoch, const sched::UsageTable& table) override;
    void put_drain(const std::optional<sched::DrainTerms>& terms) override;

   private:
    Records& records_;
  };

  /// Passes on to the store.
  class Logs final : public sched::replica::LogStore {
   public:
    explicit Logs(Records& records) : records_(records) {}
    void put_log(const sched::replica::LogFacts& facts) override;
    void put_batch(
        std::uint64_t log, std::uint64_t position, const sched::replica::Batch& batch) override;
    void truncate(std::uint64_t log, std::uint64_t position) override;
    void put_office(std::uint64_t log, const sched::replica::HomeRecord& office) override;
    void put_entry(std::uint64_t log, const sched::replica::Entry& entry) override;
    void forget_log(std::uint64_t log) override;
    std::optional<overlay::Time> time_of(std::int64_t wall) const override;

   private:
    Records& records_;
  };

  void begin(overlay::Time now);
  void end(overlay::Time now, const Result<void>& committed);

  std::unique_ptr<SqliteStore> store_;
  IdentityMarks& marks_;
  Log& log_;
  Metrics& metrics_;
  OnResult told_;
  OnRetry retried_;
  Jobs jobs_{*this};
  Logs logs_{*this};
  std::function<overlay::Time()> now_;
  std::string error_;
  overlay::Time commit_again_{};
  Mark begun_ = 0;       ///< The number of the last commit that began.
  Mark durable_ = 0;     ///< The last one that succeeded.
  Mark jobs_last_ = 0;   ///< The last one that had records of jobs ...
  Mark books_last_ = 0;  ///< ... and of books.
  overlay::Time begun_at_{};
  std::optional<overlay::Time> slow_told_;
  std::unique_ptr<CommitThread> thread_;  ///< Ends before what it writes to.
};

}  // namespace dunlin::node
