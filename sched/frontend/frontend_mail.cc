// SPDX-License-Identifier: MIT
#include "sched/frontend/frontend_mail.h"

#include <utility>
#include <vector>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/frontend_parts.h"
#include "sched/frontend/job_changes.h"
#include "sched/frontend/launch/frontend_launches.h"
#include "sched/frontend/launch/launcher.h"
#include "sched/frontend/outlook.h"
#include "sched/frontend/table/concerned_jobs.h"

// A word may be late, doubled or of another life of its sender, so each handler asks first whether
// it still means something: the job is here and goes on, the group exists, the attempt counts.
namespace dunlin::sched {
namespace {

/// A worker that is there confirms its tasks within so many times that period.
constexpr int kConfirmsWithin = 2;

}  // namespace

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const GetTask& asked) {
  note_incarnation(turn, around, from.id, asked.incarnation, asked.since);
  parts_.holders.hear(from.id, turn.now, kConfirmsWithin * parts_.renewed_every);
  JobState* job = parts_.jobs.find(asked.job);
  if (job == nullptr || job->finished() || asked.group >= job->groups().size()) {
    turn.out.send(from, nothing_left(asked));
    return;
  }
  if (job->spec_of(asked.group).gang) {
    return FrontendLaunches(parts_).hold_gang(turn, around, from, *job, asked);
  }
  if (job->offered(asked.group) > 0) parts_.holders.note(turn, from);
  const auto bound = parts_.binder.answer(turn, around, from, *job, asked, parts_.prober);
  if (!bound) return;
  parts_.prober.on_served(turn, from, *job, asked, *bound);
  if (parts_.launcher) parts_.launcher->on_served(turn, *job, asked.group, *bound, parts_.prober);
  parts_.schedule(turn.now);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Queued& queued) {
  const JobState* job = std::as_const(parts_.jobs).find(queued.job);
  const bool waits =
      job != nullptr && queued.group < job->groups().size() && job->offered(queued.group) > 0;
  const bool is_wanted = waits &&
      (!job->spec_of(queued.group).gang ||
          (parts_.launcher && parts_.launcher->gathers(*job, queued.group)));
  if (!is_wanted) {
    turn.out.send(from, Cancel{queued.job, queued.group, queued.probe});
    return;
  }
  if (parts_.prober.on_queued(turn, around, from, *job, queued)) parts_.schedule(turn.now);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings&, const Endpoint& from, const Bounced& bounced) {
  // Gossip of better days may be all that the cache has of it.
  if (bounced.reason == BounceReason::sick) parts_.prober.forget(from.id);
  const JobState* job = std::as_const(parts_.jobs).find(bounced.job);
  if (job == nullptr || job->finished() || bounced.group >= job->groups().size()) return;
  parts_.prober.on_bounced(turn.now, *job, bounced);
  parts_.estimator.on_bounced(*job, bounced.group, bounced.reason);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Refused& refused) {
  JobState* job = parts_.jobs.find(refused.job);
  if (job == nullptr) return;
  take_back(turn, *job, from, refused);
  parts_.settle_or_probe(turn, around, *job);
  parts_.schedule(turn.now);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Done& done) {
  DoneAck ack{.job = done.job, .tasks = {}};
  for (const Report& report : done.reports) ack.tasks.push_back({report.index, report.attempt});
  // Not of the node that passes them on: it has not their output.
  const PeerId worker = done.worker ? done.worker : from.id;
  if (JobState* job = parts_.jobs.find(done.job)) {
    for (const Report& report : done.reports) {
      const bool counts = record(turn, *job, worker, report, done.speed);
      if (!counts) continue;
      if (is_success(report)) parts_.prober.task_times().learn(report.wall);
      parts_.estimator.learn(*job, report);
    }
    parts_.settle_or_probe(turn, around, *job);
    parts_.schedule(turn.now);
  }
  turn.out.send(from, ack);  // After the records: they are durable before it leaves.
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Renew& renewed) {
  note_incarnation(turn, around, from.id, renewed.incarnation, renewed.since);
  parts_.watch.clear(from.id);
  parts_.holders.hear(from.id, turn.now, kConfirmsWithin * parts_.renewed_every);
  const JobState* const job = std::as_const(parts_.jobs).find(renewed.job);
  if (job != nullptr && !job->finished()) parts_.holders.note(turn, from, renewed.away);
  JobState* const found = parts_.jobs.find(renewed.job);
  renew(turn, found, from, renewed);
  if (found != nullptr) parts_.late.on_found(turn, *found);
  parts_.schedule(turn.now);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Testimony& testimony) {
  if (parts_.watch.on_testimony(from, testimony)) on_worker_gone(turn, around, testimony.node);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings&, const Endpoint& from, const Facts& facts) {
  parts_.incarnations.hear(turn.now, from.id, facts.incarnation);
  parts_.holders.hear(from.id, turn.now, kConfirmsWithin * parts_.renewed_every);
}

void FrontendMail::note_incarnation(Turn& turn,
    const Surroundings& around,
    PeerId worker,
    std::uint32_t incarnation,
    std::uint32_t since) {
  const auto loss = parts_.incarnations.note(turn.now, worker, incarnation, since);
  if (loss.queue) parts_.prober.on_worker_gone(worker);
  if (loss.tasks) parts_.lose_tasks_at(turn, around, worker);
}

void FrontendMail::on_worker_gone(Turn& turn, const Surroundings& around, PeerId worker) {
  parts_.holders.give_up(worker);
  parts_.prober.on_worker_gone(worker);
  parts_.lose_tasks_at(turn, around, worker);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings&, const Endpoint& from, const EndRequest& asked) {
  const auto at = parts_.jobs.all().find(asked.job.number);
  const bool is_here = at != parts_.jobs.all().end() && at->second.id().home == asked.job.home &&
      (asked.job.lineage == 0 || at->second.id().lineage == asked.job.lineage);
  if (is_here) {
    const JobState& job = at->second;
    if (!job.finished()) parts_.askers.add(job.id(), from);
    turn.out.send(from, end_of(job, turn.now, asked.request));
  } else if (asked.job.home == parts_.origin && parts_.office.log == 0) {
    // No other node has it, if it had no replicas.
    turn.out.send(from,
        JobEnd{.request = asked.request,
            .job = asked.job,
            .standing = JobStanding::unknown,
            .home = {}});
  }
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const JobEnd& told) {
  if (!parts_.ends.hear(turn.now, from, told)) return;
  std::vector<JobState*> waiting;
  if (decides(told)) waiting = ConcernedJobs(parts_.jobs).waiting_for(told.job);
  for (JobState* job : waiting) {
    const JobChange news = news_of(*job, told);
    if (news == JobChange{}) continue;
    const bool missed = news.after_missed != 0;
    turn.events.on(AfterSettled{job->id(), told.job, !missed});
    sched::change(turn, *job, news);
    // Its tasks have not begun, and will not.
    if (missed) cancel_all(turn, *job, CancelledBy::after);
    parts_.settle_or_probe(turn, around, *job);
  }
  parts_.ends.await_begin(turn.now, parts_.jobs, told);
  parts_.schedule(turn.now);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const Attached& answer) {
  FrontendLaunches(parts_).receive(turn, around, from, answer);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const CellView& view) {
  FrontendLaunches(parts_).receive(turn, around, from, view);
}

void FrontendMail::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const LaunchReply& reply) {
  FrontendLaunches(parts_).receive(turn, around, from, reply);
}

}  // namespace dunlin::sched
