// SPDX-License-Identifier: MIT
#include "sched/frontend/frontend_parts.h"

#include <algorithm>
#include <utility>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/launch/launcher.h"

// Whatever makes tasks wait is followed by seek_workers(), whatever ends tasks by settle(), and
// whatever changes what waits or is bound by schedule().
namespace dunlin::sched {
namespace {

/// Leases are looked at so many times per lease.
constexpr int kLooksPerLease = 4;
/// A worker that missed so many confirmations of a task is asked after.
constexpr int kMissed = 3;
constexpr Duration kHistoryPeriod = std::chrono::seconds(10);

}  // namespace

FrontendParts::FrontendParts(
    const FrontendParams& params, const Endpoint& self, PeerId origin, Duration renewed_every)
    : params(params),
      origin(origin),
      jobs(origin),
      prober(params, self),
      estimator(params),
      watch(self),
      ends(self),
      renewed_every(renewed_every),
      suspect_after(kMissed * renewed_every) {}

FrontendParts::FrontendParts(FrontendParts&&) noexcept = default;
FrontendParts& FrontendParts::operator=(FrontendParts&&) noexcept = default;
FrontendParts::~FrontendParts() = default;

void FrontendParts::set_office(const LogOffice& held) {
  office = held;
  prober.set_office(office.log, office.epoch, office.first_probe());
  binder.set_office(office);
}

void FrontendParts::review_demands(Turn& turn, const Surroundings& around, JobState& job) {
  if (!estimator.is_due(job, turn.now)) return;
  std::vector<std::uint32_t> before;
  before.reserve(group_count(job));
  for (std::uint16_t i = 0; i < group_count(job); ++i) {
    before.push_back(job.spec_of(i).demand.memory);
  }
  const auto changed = estimator.review(turn, around.known(), job);
  for (const std::uint16_t group : changed) {
    // Reservations that are out for them speak of another demand. A demand of less memory would
    // have tasks killed by an estimate that is given up, and their failures would count.
    prober.withdraw(turn, job, group);
    const bool grows = job.spec_of(group).demand.memory > before[group];
    if (grows) job.outdate(group, prober.last(job));
  }
  if (!changed.empty() && launcher) launcher->renew(job);
}

void FrontendParts::seek_workers(Turn& turn, const Surroundings& around, JobState& job) {
  review_demands(turn, around, job);
  JobState* const alone[] = {&job};
  if (launcher && launcher->launch(turn, {around, jobs, prober}, alone)) {
    prober.withdraw_idle(turn, job);
  }
  if (launcher) launcher->seek_gangs(turn, {around, jobs, prober}, job);
  if (launcher && launcher->park(turn, job, prober)) return;
  prober.probe(turn, around, job);
}

void FrontendParts::settle(Turn& turn, JobState& job) {
  if (job.finished()) return;
  settle_stages(turn, job);
  if (!job.counts().all_final()) return;
  late.forget(turn, job);
  prober.close(turn, job);
  if (launcher) launcher->forget(turn, job);
  binder.forget(job);
  estimator.close(turn, job);
  jobs.finish(job, turn.now);
  turn.store.put_progress(job.id(), job.progress());
  turn.events.on(JobFinished{job.id(), job.counts()[TaskState::succeeded],
      job.counts()[TaskState::failed], job.counts()[TaskState::cancelled]});
  tell_end(turn, job);
}

void FrontendParts::settle_or_probe(Turn& turn, const Surroundings& around, JobState& job) {
  settle(turn, job);
  if (!job.finished()) seek_workers(turn, around, job);
}

void FrontendParts::cancel_job(Turn& turn, JobState& job, CancelledBy by) {
  if (!LateCancels::is_open(turn.now, job)) return cancel_all(turn, job, by);
  late.add_all(turn, job, by);
  deadlines.no_later(Timer::recovery, turn.now);
}

void FrontendParts::tell_end(Turn& turn, const JobState& job) {
  for (const Endpoint& asker : askers.take(job.id())) turn.out.send(asker, end_of(job, turn.now));
  if (ends.on_end(turn.now, job.id())) turn.out.send(ends.self(), end_of(job, turn.now));
}

void FrontendParts::lose_tasks_at(Turn& turn, const Surroundings& around, PeerId worker) {
  for (JobState* job : jobs.active()) {
    lose_at(turn, *job, worker);
    settle_or_probe(turn, around, *job);
  }
  schedule(turn.now);
}

void FrontendParts::schedule_launches(Time now) {
  if (launcher) deadlines.set(Timer::launches, launcher->next(now, jobs.active_count() > 0));
}

void FrontendParts::schedule(Time now) {
  const auto keep = [&](Timer timer, bool needed, Duration period) {
    if (!needed) deadlines.clear(timer);
    if (needed) deadlines.no_later(timer, now + period);
  };
  ends.follow(now, jobs);
  jobs.note_changes();
  const JobNeeds& needs = jobs.indexes().needs();
  keep(Timer::leases, needs.any_bound(),
      std::min(params.task_lease / kLooksPerLease, suspect_after / 2));
  keep(Timer::probes, needs.any_waiting(), params.reprobe_period);
  deadlines.set(Timer::rests, needs.next_rested());
  deadlines.set(Timer::begins, needs.next_begin());
  deadlines.set(Timer::due, needs.next_due(looked_at_deadlines));
  deadlines.set(Timer::after, ends.next());
  schedule_launches(now);
  keep(Timer::history, jobs.history().count() > 0, kHistoryPeriod);
}

}  // namespace dunlin::sched
