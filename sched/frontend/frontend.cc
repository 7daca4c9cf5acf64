// SPDX-License-Identifier: MIT
#include "sched/frontend/frontend.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/job_changes.h"
#include "sched/frontend/launch/launcher.h"
#include "sched/usage/usage.h"

// A job passes through four parts. The prober has reservations out for its waiting tasks
// (prober.cc), where the placement says (placement/). The binder hands tasks to the workers that
// ask (binder.cc). News of bound tasks end them or make them wait again (bound_tasks.cc). The table
// keeps the job until it is history (job_table.cc). Whatever makes tasks wait is followed by
// seek_workers(), whatever ends tasks by settle(), and whatever changes what waits or is bound by
// schedule().
namespace dunlin::sched {
namespace {

/// Leases are looked at so many times per lease.
constexpr int kLooksPerLease = 4;
/// A worker that missed so many confirmations of a task is asked after.
constexpr int kMissed = 3;
/// One that is there confirms its tasks within so many times that period.
constexpr int kConfirmsWithin = 2;
constexpr Duration kHistoryPeriod = std::chrono::seconds(10);
/// Between two passes, if the first could not forget all that is too much.
constexpr Duration kHistoryNext = std::chrono::milliseconds(100);

}  // namespace

Frontend::Frontend(const FrontendParams& params, const Endpoint& self, Duration renewed_every)
    : Frontend(params, self, self.id, renewed_every) {}

Frontend::Frontend(
    const FrontendParams& params, const Endpoint& self, PeerId origin, Duration renewed_every)
    : params_(params),
      origin_(origin),
      jobs_(origin),
      prober_(params, self),
      estimator_(params),
      watch_(self),
      renewed_every_(renewed_every),
      suspect_after_(kMissed * renewed_every) {}

Frontend::Frontend(Frontend&&) noexcept = default;
Frontend& Frontend::operator=(Frontend&&) noexcept = default;
Frontend::~Frontend() = default;

void Frontend::set_office(const LogOffice& office) {
  office_ = office;
  prober_.set_office(office.log, office.epoch, office.first_probe());
  binder_.set_office(office);
}

void Frontend::submit(Turn& turn, const Surroundings& around, Job job) {
  ensure(jobs_.is_new(job.id), "a job id of our own, and new");
  estimator_.accept(job);
  turn.store.put_usage(usage_of_submit(job));
  turn.store.put_job(job);
  turn.events.on(JobAccepted{job.id, job.task_count()});
  JobState& state = jobs_.add(JobState(std::move(job), turn.now, office_.first_attempt()));
  if (state.progress().held) turn.store.put_progress(state.id(), state.progress());
  ends_.watch(turn.now, state);
  seek_workers(turn, around, state);
  settle(turn, state);
  schedule(turn.now);
}

Result<void> Frontend::cancel(Turn& turn, const JobId& id, std::span<const std::uint32_t> tasks) {
  const auto job = jobs_.find(id, tasks);
  if (!job) return tl::unexpected(job.error());
  if (tasks.empty()) {
    cancel_job(turn, **job, CancelledBy::user);
  } else if (LateCancels::is_open(turn.now, **job)) {
    late_.add(turn, **job, tasks, office_.first_attempt());
    deadlines_.no_later(Timer::recovery, turn.now);
  } else {
    sched::cancel(turn, **job, tasks);
  }
  prober_.withdraw_idle(turn, **job);
  if (launcher_) launcher_->withdraw_idle(turn, **job);
  settle(turn, **job);
  schedule(turn.now);
  return {};
}

Result<void> Frontend::change(
    Turn& turn, const Surroundings& around, const JobId& id, const JobChange& change) {
  const auto job = jobs_.find(id, {});
  if (!job) return tl::unexpected(job.error());
  if (change.held && (*job)->finished()) return failure(ErrorKind::refused, has_ended(**job));
  sched::change(turn, **job, change);
  late_.on_stored(turn, **job);
  jobs_.touch();
  if ((*job)->finished()) return {};
  prober_.withdraw_idle(turn, **job);
  if (change.terms != NewTerms{}) prober_.tell_terms(turn, **job);
  if (change.terms != NewTerms{} && launcher_) launcher_->renew(**job);
  seek_workers(turn, around, **job);
  schedule(turn.now);
  return {};
}

Result<void> Frontend::retry(Turn& turn,
    const Surroundings& around,
    const JobId& id,
    std::span<const std::uint32_t> tasks,
    const Job* stored) {
  const auto job = jobs_.find(id, tasks);
  if (!job) return tl::unexpected(job.error());
  if (auto fine = check_retry(**job, tasks, turn.now); !fine || tasks.empty()) return fine;
  late_.carry_out(turn, **job);  // What was said before comes before.
  sched::retry(turn, **job, tasks, stored);
  jobs_.go_on(**job);
  ends_.watch(turn.now, **job);  // It may have ended before the jobs that it waits for.
  if ((*job)->stages().any()) {  // A group may have to wait again.
    prober_.withdraw_idle(turn, **job);
    if (launcher_) launcher_->withdraw_idle(turn, **job);
  }
  seek_workers(turn, around, **job);
  schedule(turn.now);
  return {};
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const GetTask& asked) {
  note_incarnation(turn, around, from.id, asked.incarnation, asked.since);
  holders_.hear(from.id, turn.now, kConfirmsWithin * renewed_every_);
  JobState* job = jobs_.find(asked.job);
  if (job == nullptr || job->finished() || asked.group >= job->groups().size()) {
    turn.out.send(from, nothing_left(asked));
    return;
  }
  if (job->spec_of(asked.group).gang) return hold_gang(turn, around, from, *job, asked);
  if (job->offered(asked.group) > 0) holders_.note(turn, from);
  const auto bound = binder_.answer(turn, around, from, *job, asked, prober_);
  if (!bound) return;
  prober_.on_served(turn, from, *job, asked, *bound);
  if (launcher_) launcher_->on_served(turn, *job, asked.group, *bound, prober_);
  schedule(turn.now);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Queued& queued) {
  const JobState* job = find(queued.job);
  const bool waits =
      job != nullptr && queued.group < job->groups().size() && job->offered(queued.group) > 0;
  const bool is_wanted = waits &&
      (!job->spec_of(queued.group).gang || (launcher_ && launcher_->gathers(*job, queued.group)));
  if (!is_wanted) {
    turn.out.send(from, Cancel{queued.job, queued.group, queued.probe});
    return;
  }
  if (prober_.on_queued(turn, around, from, *job, queued)) schedule(turn.now);
}

void Frontend::on_message(
    Turn& turn, const Surroundings&, const Endpoint& from, const Bounced& bounced) {
  // Gossip of better days may be all that the cache has of it.
  if (bounced.reason == BounceReason::sick) prober_.forget(from.id);
  const JobState* job = find(bounced.job);
  if (job == nullptr || job->finished() || bounced.group >= job->groups().size()) return;
  prober_.on_bounced(turn.now, *job, bounced);
  estimator_.on_bounced(*job, bounced.group, bounced.reason);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Refused& refused) {
  JobState* job = jobs_.find(refused.job);
  if (job == nullptr) return;
  take_back(turn, *job, from, refused);
  settle_or_probe(turn, around, *job);
  schedule(turn.now);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Done& done) {
  DoneAck ack{.job = done.job, .tasks = {}};
  for (const Report& report : done.reports) ack.tasks.push_back({report.index, report.attempt});
  if (JobState* job = jobs_.find(done.job)) {
    for (const Report& report : done.reports) {
      const bool counts = record(turn, *job, from, report, done.speed);
      if (!counts) continue;
      if (is_success(report)) prober_.task_times().learn(report.wall);
      estimator_.learn(*job, report);
    }
    settle_or_probe(turn, around, *job);
    schedule(turn.now);
  }
  turn.out.send(from, ack);  // After the records: they are durable before it leaves.
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Renew& renewed) {
  note_incarnation(turn, around, from.id, renewed.incarnation, renewed.since);
  watch_.clear(from.id);
  holders_.hear(from.id, turn.now, kConfirmsWithin * renewed_every_);
  const JobState* const job = find(renewed.job);
  if (job != nullptr && !job->finished()) holders_.note(turn, from, renewed.away);
  JobState* const found = jobs_.find(renewed.job);
  renew(turn, found, from, renewed);
  if (found != nullptr) late_.on_found(turn, *found);
  schedule(turn.now);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Testimony& testimony) {
  if (watch_.on_testimony(from, testimony)) on_worker_gone(turn, around, testimony.node);
}

void Frontend::on_message(
    Turn& turn, const Surroundings&, const Endpoint& from, const Facts& facts) {
  incarnations_.hear(turn.now, from.id, facts.incarnation);
  holders_.hear(from.id, turn.now, kConfirmsWithin * renewed_every_);
}

void Frontend::note_incarnation(Turn& turn,
    const Surroundings& around,
    PeerId worker,
    std::uint32_t incarnation,
    std::uint32_t since) {
  const auto loss = incarnations_.note(turn.now, worker, incarnation, since);
  if (loss.queue) prober_.on_worker_gone(worker);
  if (loss.tasks) lose_tasks_at(turn, around, worker);
}

void Frontend::on_worker_gone(Turn& turn, const Surroundings& around, PeerId worker) {
  holders_.give_up(worker);
  prober_.on_worker_gone(worker);
  lose_tasks_at(turn, around, worker);
}

void Frontend::lose_tasks_at(Turn& turn, const Surroundings& around, PeerId worker) {
  for (JobState* job : jobs_.active()) {
    lose_at(turn, *job, worker);
    settle_or_probe(turn, around, *job);
  }
  schedule(turn.now);
}

void Frontend::settle(Turn& turn, JobState& job) {
  if (job.finished()) return;
  settle_stages(turn, job);
  if (!job.counts().all_final()) return;
  late_.forget(turn, job);
  prober_.close(turn, job);
  if (launcher_) launcher_->forget(turn, job);
  binder_.forget(job);
  estimator_.close(turn, job);
  jobs_.finish(job, turn.now);
  turn.store.put_progress(job.id(), job.progress());
  turn.events.on(JobFinished{job.id(), job.counts()[TaskState::succeeded],
      job.counts()[TaskState::failed], job.counts()[TaskState::cancelled]});
  tell_end(turn, job);
}

void Frontend::settle_or_probe(Turn& turn, const Surroundings& around, JobState& job) {
  settle(turn, job);
  if (!job.finished()) seek_workers(turn, around, job);
}

void Frontend::wake(Turn& turn, const Surroundings& around) {
  if (deadlines_.take(Timer::leases, turn.now)) {
    for (JobState* job : jobs_.active()) {
      const bool expired = lose_expired(turn, *job, params_.task_lease);
      const bool unstarted = lose_unstarted(turn, *job, incarnations_, suspect_after_);
      if (expired || unstarted) settle(turn, *job);
    }
    if (suspect_after_ < params_.task_lease) {
      watch_.look(turn, around, std::as_const(jobs_).active(), suspect_after_);
    }
  }
  if (deadlines_.take(Timer::rests, turn.now)) {
    for (JobState* job : jobs_.active()) {
      if (job->end_rests(turn.now)) seek_workers(turn, around, *job);
    }
  }
  if (deadlines_.take(Timer::begins, turn.now)) {
    for (JobState* job : jobs_.active()) {
      if (job->end_wait(turn.now)) seek_workers(turn, around, *job);
    }
  }
  if (deadlines_.take(Timer::due, turn.now)) miss_deadlines(turn);
  if (deadlines_.take(Timer::probes, turn.now)) {
    for (JobState* job : jobs_.active()) seek_workers(turn, around, *job);
  }
  if (deadlines_.take(Timer::after, turn.now)) {
    ends_.look(turn, around, std::as_const(jobs_).active());
  }
  // A job that was just cancelled, by its deadline, may leave the master something to do at once.
  schedule_launches(turn.now);
  if (deadlines_.take(Timer::launches, turn.now)) wake_master(turn, around);
  if (deadlines_.take(Timer::history, turn.now)) {
    const bool more = jobs_.forget_history(turn, params_);
    if (more) deadlines_.no_later(Timer::history, turn.now + kHistoryNext);
    if (!more) forget_idle_holders(turn);
  }
  if (deadlines_.take(Timer::recovery, turn.now)) recover(turn, around);
  schedule(turn.now);
}

void Frontend::schedule_launches(Time now) {
  if (launcher_) deadlines_.set(Timer::launches, launcher_->next(now, jobs_.active_count() > 0));
}

void Frontend::schedule(Time now) {
  const auto keep = [&](Timer timer, bool needed, Duration period) {
    if (!needed) deadlines_.clear(timer);
    if (needed) deadlines_.no_later(timer, now + period);
  };
  jobs_.note_changes();
  const JobNeeds& needs = jobs_.needs();
  keep(Timer::leases, needs.any_bound(),
      std::min(params_.task_lease / kLooksPerLease, suspect_after_ / 2));
  keep(Timer::probes, needs.any_waiting(), params_.reprobe_period);
  deadlines_.set(Timer::rests, needs.next_rested());
  deadlines_.set(Timer::begins, needs.next_begin());
  deadlines_.set(Timer::due, needs.next_due(looked_at_deadlines_));
  deadlines_.set(Timer::after, ends_.next());
  schedule_launches(now);
  keep(Timer::history, jobs_.has_finished_ones(), kHistoryPeriod);
}

}  // namespace dunlin::sched
