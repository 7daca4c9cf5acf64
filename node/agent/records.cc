// SPDX-License-Identifier: MIT
#include "node/agent/records.h"

#include <utility>

namespace dunlin::node {
namespace {

constexpr overlay::Duration kRetryPeriod = std::chrono::seconds(1);

}  // namespace

Records::Records(
    std::unique_ptr<SqliteStore> store, IdentityMarks& marks, Log& log, Metrics& metrics)
    : store_(std::move(store)),
      marks_(marks),
      log_(log),
      metrics_(metrics) {}

void Records::commit(overlay::Time now) {
  if (durable()) return;
  if (!error_.empty() && now < commit_again_) return;
  const auto committed = store_->commit();
  if (committed) {
    ++metrics_.commits;
    if (!error_.empty()) log_.say(overlay::Level::info, "store_recovered");
    error_.clear();
    return;
  }
  ++metrics_.commits_failed;
  commit_again_ = now + kRetryPeriod;
  if (error_.empty()) {
    log_.say(overlay::Level::error, "store_failed", {{"error", committed.error().text}});
  }
  error_ = committed.error().text;
}

void Records::Jobs::put_job(const sched::Job& job) {
  records_.store_->put_job(job);
  records_.marks_.use_job(job.id.number);
}

void Records::Jobs::put_progress(const sched::JobId& job, const sched::JobProgress& progress) {
  records_.store_->put_progress(job, progress);
}

void Records::Jobs::put_report(
    const sched::JobId& job, const sched::Report& report, overlay::PeerId worker, bool final) {
  records_.store_->put_report(job, report, worker, final);
  if (final && records_.told_) records_.told_(job, report, worker);
}

void Records::Jobs::put_loss(
    const sched::JobId& job, const sched::Attempt& lost, overlay::PeerId worker) {
  records_.store_->put_loss(job, lost, worker);
}

void Records::Jobs::forget_job(const sched::JobId& job) {
  records_.store_->forget_job(job);
}

}  // namespace dunlin::node
