// SPDX-License-Identifier: MIT
#include "sched/frontend/frontend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/frontend_recovery.h"
#include "sched/frontend/job_changes.h"
#include "sched/frontend/launch/launcher.h"
#include "sched/frontend/table/concerned_jobs.h"
#include "sched/frontend/table/forget_history.h"
#include "sched/usage/usage.h"

// A job passes through four parts. The prober has reservations out for its waiting tasks
// (prober.cc), where the placement says (placement/). The binder hands tasks to the workers that
// ask (binder.cc). News of bound tasks end them or make them wait again (bound_tasks.cc). The table
// keeps the job until it is history (job_table.cc), and then for a while (table/forget_history.cc).
namespace dunlin::sched {
namespace {

/// Between two passes over history, if the first could not forget all that is too much.
constexpr Duration kHistoryNext = std::chrono::milliseconds(100);

/// Says which jobs have missed their deadlines, and cancels those that are to be.
void miss_deadlines(FrontendParts& parts, Turn& turn) {
  for (JobState* job : ConcernedJobs(parts.jobs).due(parts.looked_at_deadlines, turn.now)) {
    const bool cancels = job->job().past_deadline == PastDeadline::cancel;
    turn.events.on(DeadlineMissed{job->id(), cancels});
    if (!cancels) continue;
    parts.cancel_job(turn, *job, CancelledBy::deadline);
    parts.prober.withdraw_idle(turn, *job);
    parts.settle(turn, *job);
  }
  parts.looked_at_deadlines = turn.now;
}

}  // namespace

Frontend::Frontend(const FrontendParams& params, const Endpoint& self, Duration renewed_every)
    : Frontend(params, self, self.id, renewed_every) {}

Frontend::Frontend(
    const FrontendParams& params, const Endpoint& self, PeerId origin, Duration renewed_every)
    : parts_(params, self, origin, renewed_every) {}

FrontendLaunches Frontend::launches() {
  return FrontendLaunches(parts_);
}

const federation::GlobalMaster* Frontend::master() const {
  return parts_.launcher ? &parts_.launcher->master() : nullptr;
}

std::vector<CellId> Frontend::parked_at(const JobState& job, std::uint16_t group) const {
  return parts_.launcher ? parts_.launcher->parked_at(job, group) : std::vector<CellId>{};
}

void Frontend::restore(Turn& turn,
    std::vector<StoredJob> jobs,
    std::uint32_t number_last,
    const std::vector<HandedTask>* handed,
    std::span<const StoredHolder> holders) {
  FrontendRecovery(parts_).restore(turn, std::move(jobs), number_last, handed, holders);
}

void Frontend::on_worker_gone(Turn& turn, const Surroundings& around, PeerId worker) {
  FrontendMail(parts_).on_worker_gone(turn, around, worker);
}

void Frontend::submit(Turn& turn, const Surroundings& around, Job job) {
  ensure(parts_.jobs.is_new(job.id), "a job id of our own, and new");
  parts_.estimator.accept(job);
  turn.store.put_usage(usage_of_submit(job));
  turn.store.put_job(job);
  turn.events.on(JobAccepted{job.id, job.task_count()});
  JobState& state =
      parts_.jobs.add(JobState(std::move(job), turn.now, parts_.office.first_attempt()));
  if (state.progress().held) turn.store.put_progress(state.id(), state.progress());
  parts_.seek_workers(turn, around, state);
  parts_.settle(turn, state);
  parts_.schedule(turn.now);
}

Result<void> Frontend::cancel(Turn& turn, const JobId& id, std::span<const std::uint32_t> tasks) {
  const auto job = parts_.jobs.find(id, tasks);
  if (!job) return tl::unexpected(job.error());
  if (tasks.empty()) {
    parts_.cancel_job(turn, **job, CancelledBy::user);
  } else if (LateCancels::is_open(turn.now, **job)) {
    parts_.late.add(turn, **job, tasks, parts_.office.first_attempt());
    parts_.deadlines.no_later(FrontendParts::Timer::recovery, turn.now);
  } else {
    sched::cancel(turn, **job, tasks);
  }
  parts_.prober.withdraw_idle(turn, **job);
  if (parts_.launcher) parts_.launcher->withdraw_idle(turn, **job);
  parts_.settle(turn, **job);
  parts_.schedule(turn.now);
  return {};
}

Result<void> Frontend::change(
    Turn& turn, const Surroundings& around, const JobId& id, const JobChange& change) {
  const auto job = parts_.jobs.find(id, {});
  if (!job) return tl::unexpected(job.error());
  if (change.held && (*job)->finished()) return failure(ErrorKind::conflict, has_ended(**job));
  sched::change(turn, **job, change);
  parts_.late.on_stored(turn, **job);
  parts_.jobs.touch();
  if ((*job)->finished()) {
    parts_.jobs.note_changes();
    return {};
  }
  parts_.prober.withdraw_idle(turn, **job);
  if (change.terms != NewTerms{}) parts_.prober.tell_terms(turn, **job);
  if (change.terms != NewTerms{} && parts_.launcher) parts_.launcher->renew(**job);
  parts_.seek_workers(turn, around, **job);
  parts_.schedule(turn.now);
  return {};
}

Result<void> Frontend::retry(Turn& turn,
    const Surroundings& around,
    const JobId& id,
    std::span<const std::uint32_t> tasks,
    const Job* stored) {
  const auto job = parts_.jobs.find(id, tasks);
  if (!job) return tl::unexpected(job.error());
  if (auto fine = check_retry(**job, tasks, turn.now); !fine || tasks.empty()) return fine;
  parts_.late.carry_out(turn, **job);  // What was said before comes before.
  sched::retry(turn, **job, tasks, stored);
  parts_.jobs.go_on(**job);
  if ((*job)->stages().any()) {  // A group may have to wait again.
    parts_.prober.withdraw_idle(turn, **job);
    if (parts_.launcher) parts_.launcher->withdraw_idle(turn, **job);
  }
  parts_.seek_workers(turn, around, **job);
  parts_.schedule(turn.now);
  return {};
}

Result<std::uint32_t> Frontend::requeue(
    Turn& turn, const JobId& id, std::span<const std::uint32_t> tasks) {
  const auto job = parts_.jobs.find(id, tasks);
  if (!job) return tl::unexpected(job.error());
  if ((*job)->finished()) return failure(ErrorKind::conflict, has_ended(**job));
  std::vector<std::uint32_t> all;
  if (tasks.empty()) {
    for (const auto& [index, binding] : (*job)->bindings()) all.push_back(index);
    tasks = all;
  }
  if (auto fine = check_requeue(**job, tasks); !fine) return tl::unexpected(fine.error());
  const std::uint32_t count = sched::requeue(turn, **job, tasks);
  parts_.schedule(turn.now);
  if (count > 0) return count;
  return failure(ErrorKind::not_found,
      "none of these tasks of job " + label_of(id) +
          " runs: what waits starts by itself, and `dunlin retry` runs what has ended");
}

// A worker has slots for a job by a plan, and no reservation of it.
void Frontend::invite(Turn& turn, const Endpoint& worker, const JobId& id) {
  const JobState* const job = std::as_const(parts_.jobs).find(id);
  if (job == nullptr || job->finished() || turn.now < job->held_until()) return;
  parts_.prober.invite(turn, *job, worker);
  parts_.schedule(turn.now);
}

void Frontend::wake(Turn& turn, const Surroundings& around) {
  if (parts_.deadlines.take(FrontendParts::Timer::leases, turn.now)) {
    for (JobState* job : ConcernedJobs(parts_.jobs).bound()) {
      const bool expired = lose_expired(turn, *job, parts_.params.task_lease);
      const bool unstarted = lose_unstarted(turn, *job, parts_.incarnations, parts_.suspect_after);
      if (expired || unstarted) parts_.settle(turn, *job);
    }
    if (parts_.suspect_after < parts_.params.task_lease) {
      const std::vector<JobState*> left = ConcernedJobs(parts_.jobs).bound();
      const std::vector<const JobState*> jobs(left.begin(), left.end());
      parts_.watch.look(turn, around, jobs, parts_.suspect_after);
    }
  }
  if (parts_.deadlines.take(FrontendParts::Timer::rests, turn.now)) {
    for (JobState* job : ConcernedJobs(parts_.jobs).rested(turn.now)) {
      if (job->end_rests(turn.now)) parts_.seek_workers(turn, around, *job);
    }
  }
  if (parts_.deadlines.take(FrontendParts::Timer::begins, turn.now)) {
    for (JobState* job : ConcernedJobs(parts_.jobs).begun(turn.now)) {
      if (job->end_wait(turn.now)) parts_.seek_workers(turn, around, *job);
    }
  }
  if (parts_.deadlines.take(FrontendParts::Timer::due, turn.now)) miss_deadlines(parts_, turn);
  if (parts_.deadlines.take(FrontendParts::Timer::probes, turn.now)) {
    // What is held back has no reservations: its release seeks workers at once.
    for (JobState* job : ConcernedJobs(parts_.jobs).free()) parts_.seek_workers(turn, around, *job);
  }
  if (parts_.deadlines.take(FrontendParts::Timer::after, turn.now)) {
    parts_.ends.look(turn, around, parts_.jobs);
  }
  // A job that was just cancelled, by its deadline, may leave the master something to do at once.
  parts_.schedule_launches(turn.now);
  if (parts_.deadlines.take(FrontendParts::Timer::launches, turn.now))
    launches().wake(turn, around);
  if (parts_.deadlines.take(FrontendParts::Timer::history, turn.now)) {
    const bool more = forget_history(turn, parts_.jobs, parts_.params);
    if (more) parts_.deadlines.no_later(FrontendParts::Timer::history, turn.now + kHistoryNext);
    if (!more) FrontendRecovery(parts_).forget_idle_holders(turn);
  }
  if (parts_.deadlines.take(FrontendParts::Timer::recovery, turn.now)) {
    FrontendRecovery(parts_).wake(turn, around);
  }
  parts_.schedule(turn.now);
}

}  // namespace dunlin::sched
