// SPDX-License-Identifier: MIT
#include "sched/frontend/late_cancels.h"

#include <utility>
#include <vector>

#include "sched/frontend/bound_tasks.h"

namespace dunlin::sched {
namespace {

JobProgress cancelled(JobProgress progress, CancelledBy by) {
  if (!progress.cancelled) progress.cancelled_by = by;
  progress.cancelled = true;
  return progress;
}

}  // namespace

void LateCancels::add(
    Turn& turn, JobState& job, std::span<const std::uint32_t> tasks, AttemptNumber base) {
  std::vector<std::uint32_t> known;
  std::vector<Attempt> unknown;
  for (const std::uint32_t index : tasks) {
    const JobState::Task& task = job.task(index);
    if (task.state != TaskState::waiting) {
      known.push_back(index);
      continue;
    }
    wishes_[job.id().number].tasks.insert(index);
    // Any attempt since the last retry would do: a later life finds by it that the task is to end.
    unknown.push_back({index, task.attempts.next(job.progress().restarts, base)});
  }
  if (!unknown.empty()) {
    turn.store.put_wishes(job.id(), job.progress(), Wished::cancel, unknown);
  }
  cancel(turn, job, known);
}

void LateCancels::add_all(Turn& turn, JobState& job, CancelledBy by) {
  wishes_[job.id().number].all = by;
  on_stored(turn, job);
  on_found(turn, job);
}

void LateCancels::on_found(Turn& turn, JobState& job) {
  const auto found = wishes_.find(job.id().number);
  if (found == wishes_.end()) return;
  std::vector<std::uint32_t> running;
  for (const auto& [index, binding] : job.bindings()) {
    const bool unwanted = found->second.all || found->second.tasks.contains(index);
    if (unwanted && job.task(index).state == TaskState::launched) running.push_back(index);
  }
  if (!running.empty()) cancel(turn, job, running);
}

void LateCancels::on_stored(Turn& turn, const JobState& job) const {
  const auto found = wishes_.find(job.id().number);
  if (found == wishes_.end() || !found->second.all) return;
  turn.store.put_progress(job.id(), cancelled(job.progress(), *found->second.all));
}

void LateCancels::carry_out(Turn& turn, JobState& job) {
  const auto wish = wishes_.extract(job.id().number);
  if (!wish || job.finished()) return;
  if (wish.mapped().all) return cancel_all(turn, job, *wish.mapped().all);
  const std::set<std::uint32_t>& tasks = wish.mapped().tasks;
  cancel(turn, job, std::vector<std::uint32_t>(tasks.begin(), tasks.end()));
}

void LateCancels::forget(Turn& turn, const JobState& job) {
  const auto wish = wishes_.extract(job.id().number);
  if (wish && wish.mapped().all) turn.store.put_progress(job.id(), job.progress());
}

}  // namespace dunlin::sched
