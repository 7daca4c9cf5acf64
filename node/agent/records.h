// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "node/identity/identity_marks.h"
#include "node/log.h"
#include "node/metrics.h"
#include "node/store/store.h"
#include "sched/turn.h"

namespace dunlin::node {

/// The records that must survive this agent, and the moments at which they are written.
///
/// The peer's turns only queue records; commit() writes those of one iteration of the loop in one
/// transaction. A commit that fails (a full disk, say) is logged once, when it begins to fail, and
/// tried again each second.
class Records {
 public:
  using OnResult =
      std::function<void(const sched::JobId&, const sched::Report&, overlay::PeerId worker)>;

  /// `marks` are told of the numbers of jobs. All but the store must outlive this.
  Records(std::unique_ptr<SqliteStore> store, IdentityMarks& marks, Log& log, Metrics& metrics);
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  /// Calls `told` with the one result of each task when it is queued, from within the peer's turn.
  void tell_results(OnResult told) { told_ = std::move(told); }

  // Where a peer's turns put records.
  sched::Store& jobs() { return jobs_; }
  sched::RaftStore& books() { return store_->raft(); }

  /// To restore from, and to ask for results.
  SqliteStore& store() { return *store_; }
  const SqliteStore& store() const { return *store_; }

  /// True if all that was queued is on disk.
  bool durable() const { return !store_->dirty(); }
  /// Why it is not, as the last commit said; empty if commits succeed.
  const std::string& error() const { return error_; }
  /// Writes what is queued. Does nothing within a second of a failure.
  void commit(overlay::Time now);

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
    void forget_job(const sched::JobId& job) override;

   private:
    Records& records_;
  };

  std::unique_ptr<SqliteStore> store_;
  IdentityMarks& marks_;
  Log& log_;
  Metrics& metrics_;
  OnResult told_;
  Jobs jobs_{*this};
  std::string error_;
  overlay::Time commit_again_{};
};

}  // namespace dunlin::node
