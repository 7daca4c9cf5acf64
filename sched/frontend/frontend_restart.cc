// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>
#include <utility>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/frontend.h"

// A frontend goes on with the jobs of an earlier life. It does not know which of their tasks run,
// so workers say so; nor would it give a task again that one of them may have.
namespace dunlin::sched {
namespace {

/// When a restored job was submitted. Never in the future, where a wall clock that was set back
/// would put it: ages are not negative.
Time submitted_at(const StoredJob& stored, Time now) {
  return std::clamp(stored.submitted.value_or(now), now - kJobAgeMax, now);
}

}  // namespace

void Frontend::restore(Turn& turn,
    std::vector<StoredJob> jobs,
    std::uint32_t number_last,
    const std::vector<HandedTask>* handed,
    std::span<const StoredHolder> holders) {
  jobs_.skip_numbers(number_last);
  const Time held_until =
      jobs.empty() ? turn.now : hold_restored(turn.now, handed != nullptr, holders);
  for (StoredJob& stored : jobs) {
    keep_wishes(turn, stored);
    const Time submitted = submitted_at(stored, turn.now);
    JobState job(std::move(stored.job), submitted, office_.first_attempt());
    const auto progress = job.restore(stored.progress, stored.tasks, turn.now, held_until);
    if (progress) turn.store.put_progress(job.id(), *progress);
    // An older life did not say that it had ended, or how, or it ends by this one's coming.
    if (job.finished() && job.progress() != stored.progress) {
      turn.store.put_progress(job.id(), job.progress());
    }
    // Somebody must look when all workers had time to tell of them.
    if (job.given().any()) deadlines_.no_later(Timer::recovery, turn.now);
    ends_.watch(turn.now, jobs_.add(std::move(job)));
  }
  if (handed != nullptr) {
    for (const HandedTask& task : *handed) {
      JobState* const job = jobs_.find(task.job);
      if (job != nullptr) job->adopt(task.running, task.holder, turn.now);
    }
    deadlines_.set(Timer::probes, turn.now);
  }
  schedule(turn.now);
}

Time Frontend::hold_restored(Time now, bool handed, std::span<const StoredHolder> holders) {
  holders_.restore(holders, now, params_.task_lease);
  if (handed) return now;
  recovered_ = now + params_.recovery_wait;
  const auto until = holders_.awaited_until(now);
  if (until) deadlines_.no_later(Timer::recovery, now);
  return std::max(recovered_, until.value_or(recovered_));
}

// A task that is given to another worker while the one that has it is away runs twice. So the words
// of all that may have some are waited for; but no longer than the leases that they have.
void Frontend::recover(Turn& turn, const Surroundings& around) {
  const auto until = holders_.awaited_until(turn.now);
  if (!until && turn.now >= recovered_) {
    for (JobState* job : jobs_.active()) {
      job->end_hold(turn.now);
      late_.carry_out(turn, *job);
      lose_given(turn, *job);  // What its user cancelled meanwhile is not among them any more.
      settle_or_probe(turn, around, *job);
    }
    return;
  }
  // Where a standby took over, others went on for a while already, and the node of the home before
  // is among the silent.
  const Duration patience = office_.log == 0 ? suspect_after_ : renewed_every_;
  for (const Endpoint& silent : holders_.ask_silent(turn, turn.now - patience)) {
    watch_.suspect(turn, around, silent);
  }
  const Time next = std::max(recovered_, until.value_or(recovered_));
  deadlines_.set(Timer::recovery, std::min(next, turn.now + Holders::kAskAgain / 2));
}

void Frontend::forget_idle_holders(Turn& turn) {
  std::set<PeerId> busy;
  for (const JobState* job : std::as_const(jobs_).active()) {
    for (const auto& [index, binding] : job->bindings()) busy.insert(binding.worker.id);
  }
  holders_.tidy(turn, busy);
}

}  // namespace dunlin::sched
