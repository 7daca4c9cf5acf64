// SPDX-License-Identifier: MIT
#include "sched/frontend/frontend_recovery.h"

#include <algorithm>
#include <set>
#include <utility>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/frontend_parts.h"
#include "sched/frontend/table/concerned_jobs.h"

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

void FrontendRecovery::restore(Turn& turn,
    std::vector<StoredJob> jobs,
    std::uint32_t number_last,
    const std::vector<HandedTask>* handed,
    std::span<const StoredHolder> holders) {
  parts_.jobs.skip_numbers(number_last);
  const Time held_until =
      jobs.empty() ? turn.now : hold_restored(turn.now, handed != nullptr, holders);
  for (StoredJob& stored : jobs) {
    keep_wishes(turn, stored);
    const Time submitted = submitted_at(stored, turn.now);
    JobState job(std::move(stored.job), submitted, parts_.office.first_attempt());
    const auto progress = job.restore(stored.progress, stored.tasks, turn.now, held_until);
    if (progress) turn.store.put_progress(job.id(), *progress);
    // An older life did not say that it had ended, or how, or it ends by this one's coming.
    if (job.finished() && job.progress() != stored.progress) {
      turn.store.put_progress(job.id(), job.progress());
    }
    // There must be a look when all workers had time to tell of them.
    if (job.given().any()) {
      parts_.deadlines.no_later(FrontendParts::Timer::recovery, turn.now);
    }
    parts_.jobs.add(std::move(job), forgotten_after(turn.now));
  }
  if (handed != nullptr) {
    for (const HandedTask& task : *handed) {
      JobState* const job = parts_.jobs.find(task.job);
      if (job != nullptr) job->adopt(task.running, task.holder, turn.now);
    }
    parts_.deadlines.set(FrontendParts::Timer::probes, turn.now);
  }
  parts_.schedule(turn.now);
}

// The ages of restored jobs go by the wall clock, which may have been set by days meanwhile, or be
// that of another machine. Nothing is lost by one look at it: there is time to set it right.
Time FrontendRecovery::forgotten_after(Time now) const {
  const Duration age = parts_.params.history_age;
  return now - age + std::min(age, parts_.params.history_min);
}

Time FrontendRecovery::hold_restored(Time now, bool handed, std::span<const StoredHolder> holders) {
  parts_.holders.restore(holders, now, parts_.params.task_lease);
  if (handed) return now;
  parts_.recovered = now + parts_.params.recovery_wait;
  const auto until = parts_.holders.awaited_until(now);
  if (until) parts_.deadlines.no_later(FrontendParts::Timer::recovery, now);
  return std::max(parts_.recovered, until.value_or(parts_.recovered));
}

// A task that is given to another worker while the one that has it is away runs twice. So the words
// of all that may have some are waited for; but no longer than the leases that they have.
void FrontendRecovery::wake(Turn& turn, const Surroundings& around) {
  const auto until = parts_.holders.awaited_until(turn.now);
  if (!until && turn.now >= parts_.recovered) {
    for (JobState* job : parts_.jobs.active()) {
      job->end_hold(turn.now);
      parts_.late.carry_out(turn, *job);
      lose_given(turn, *job);  // What its user cancelled meanwhile is not among them any more.
      parts_.settle_or_probe(turn, around, *job);
    }
    return;
  }
  // Where a standby took over, others went on for a while already, and the node of the home before
  // is among the silent.
  const Duration patience = parts_.office.log == 0 ? parts_.suspect_after : parts_.renewed_every;
  for (const Endpoint& silent : parts_.holders.ask_silent(turn, turn.now - patience)) {
    parts_.watch.suspect(turn, around, silent);
  }
  const Time next = std::max(parts_.recovered, until.value_or(parts_.recovered));
  parts_.deadlines.set(
      FrontendParts::Timer::recovery, std::min(next, turn.now + Holders::kAskAgain / 2));
}

void FrontendRecovery::forget_idle_holders(Turn& turn) {
  std::set<PeerId> busy;
  for (const JobState* job : ConcernedJobs(parts_.jobs).bound()) {
    for (const auto& [index, binding] : job->bindings()) busy.insert(binding.worker.id);
  }
  parts_.holders.tidy(turn, busy);
}

}  // namespace dunlin::sched
