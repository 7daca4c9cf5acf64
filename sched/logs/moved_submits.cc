// SPDX-License-Identifier: MIT
#include "sched/logs/moved_submits.h"

#include <utility>

#include "sched/frontend/keys/spent_keys.h"
#include "sched/logs/copied_jobs.h"

namespace dunlin::sched::logs {

MovedSubmits submissions_of(const replica::JobCopies& copies) {
  MovedSubmits said;
  for (const auto& [key, id, owner, name, tasks] : copies.forgotten()) {
    said[key] = {id, owner, name, tasks};
  }
  for (StoredJob& stored : copies.jobs()) {
    Job& job = stored.job;
    if (job.key.empty()) continue;
    const std::uint32_t tasks = job.task_count();
    said[job.key] = {job.id, std::move(job.owner), std::move(job.name), tasks};
  }
  return said;
}

SpentKey spent_key(const SubmitKey& key, const MovedSubmit& said, Time now) {
  return {.hash = hash_of(key),
      .id = said.id,
      .owner = said.owner,
      .name = said.name,
      .tasks = said.tasks,
      .at = now};
}

std::uint32_t last_epoch(const replica::Log& log) {
  for (std::uint64_t i = log.end(); i > 0; --i) {
    if (!log.at(i).records.empty()) return log.at(i).stamp.epoch;
  }
  return 0;
}

void MovedJobs::note(const replica::Log& log, std::uint32_t epoch) {
  // A batch of the present home is the word that this copy equals its log up to there.
  const bool sure = last_epoch(log) == epoch;
  if (epoch_ == epoch && sure_ == sure) return;
  epoch_ = epoch;
  sure_ = sure;
  submits_ = submissions_of(copies_of(log));
}

}  // namespace dunlin::sched::logs
