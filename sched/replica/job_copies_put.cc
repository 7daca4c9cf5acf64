// SPDX-License-Identifier: MIT
#include <vector>

#include "sched/replica/job_copies.h"

// A node that takes a log over stores its jobs as their frontend did: in the order of the records
// that a restart may find.
namespace dunlin::sched::replica {

/// The attempts of a task up to its last retry, or those after it; all are after it if there was
/// none.
void JobCopies::put_attempts(
    Store& store, const Copy& copy, std::uint32_t index, bool before_retry) {
  const auto history = copy.attempts.find(index);
  if (history == copy.attempts.end()) return;
  const auto retried = copy.retried.find(index);
  const Retried last = retried == copy.retried.end() ? Retried{} : retried->second;
  for (const auto& [attempt, ended] : history->second) {
    if ((attempt <= last.last) != before_retry || attempt == last.result) continue;
    if (ended.report) {
      store.put_report(copy.job.id, *ended.report, ended.worker, false);
    } else {
      const auto number = static_cast<decltype(Attempt::attempt)>(attempt);
      store.put_loss(copy.job.id, {index, number}, ended.worker);
    }
  }
}

void JobCopies::put_wishes(Store& store,
    const Copy& copy,
    Wished wished,
    const std::map<std::uint32_t, std::uint32_t>& wishes) {
  std::vector<Attempt> attempts;
  for (const auto& [index, attempt] : wishes) {
    attempts.push_back({.index = index, .attempt = attempt});
  }
  if (!attempts.empty()) store.put_wishes(copy.job.id, copy.progress, wished, attempts);
}

void JobCopies::put(Store& store) const {
  for (const auto& [key, copy] : jobs_) {
    if (!copy.is_whole()) continue;
    const JobId& job = copy.job.id;
    store.put_job(copy.job);
    if (copy.progress != JobProgress{}) store.put_progress(job, copy.progress);
    if (copy.is_pruned()) continue;
    put_wishes(store, copy, Wished::cancel, copy.to_cancel);
    put_wishes(store, copy, Wished::requeue, copy.to_requeue);
    put_wishes(store, copy, Wished::only, copy.only);
    for (const auto& [index, retried] : copy.retried) {
      put_attempts(store, copy, index, true);
      const Ended& result = copy.attempts.at(index).at(retried.result);
      store.put_report(job, *result.report, result.worker, true);
      store.put_retry(job, {index, retried.last});
    }
    for (const auto& [index, history] : copy.attempts) put_attempts(store, copy, index, false);
    for (const auto& [index, result] : copy.results) {
      store.put_report(job, result.report, result.worker, true);
    }
  }
}

}  // namespace dunlin::sched::replica
