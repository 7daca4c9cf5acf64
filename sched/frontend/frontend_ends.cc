// SPDX-License-Identifier: MIT
#include <string>
#include <utility>
#include <vector>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/frontend.h"
#include "sched/frontend/job_changes.h"
#include "sched/frontend/outlook.h"

// The ends of jobs, told to those that wait for them and heard of by those that wait here, and
// those that deadlines bring; and what a user has begin anew.
namespace dunlin::sched {

void Frontend::on_message(
    Turn& turn, const Surroundings&, const Endpoint& from, const EndRequest& asked) {
  const auto at = jobs_.all().find(asked.job.number);
  const bool is_here = at != jobs_.all().end() && at->second.id().home == asked.job.home &&
      (asked.job.lineage == 0 || at->second.id().lineage == asked.job.lineage);
  if (is_here) {
    const JobState& job = at->second;
    if (!job.finished()) askers_.add(job.id(), from);
    turn.out.send(from, end_of(job, asked.request));
  } else if (asked.job.home == origin_ && office_.log == 0) {
    // No other node has it, if it had no replicas.
    turn.out.send(from,
        JobEnd{.request = asked.request,
            .job = asked.job,
            .standing = JobStanding::unknown,
            .home = {}});
  }
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const JobEnd& told) {
  if (!ends_.hear(turn.now, from, told)) return;
  for (JobState* job : jobs_.active()) {
    const JobChange news = news_of(*job, told);
    if (news == JobChange{}) continue;
    const bool missed = news.after_missed != 0;
    turn.events.on(AfterSettled{job->id(), told.job, !missed});
    sched::change(turn, *job, news);
    // Its tasks have not begun, and will not.
    if (missed) cancel_all(turn, *job, CancelledBy::after);
    settle_or_probe(turn, around, *job);
  }
  schedule(turn.now);
}

void Frontend::miss_deadlines(Turn& turn) {
  for (JobState* job : jobs_.active()) {
    const Time due = due_of(*job);
    if (due <= looked_at_deadlines_ || due > turn.now) continue;
    const bool cancels = job->job().past_deadline == PastDeadline::cancel;
    turn.events.on(DeadlineMissed{job->id(), cancels});
    if (!cancels) continue;
    cancel_job(turn, *job, CancelledBy::deadline);
    prober_.withdraw_idle(turn, *job);
    settle(turn, *job);
  }
  looked_at_deadlines_ = turn.now;
}

void Frontend::cancel_job(Turn& turn, JobState& job, CancelledBy by) {
  if (!LateCancels::is_open(turn.now, job)) return cancel_all(turn, job, by);
  late_.add_all(turn, job, by);
  deadlines_.no_later(Timer::recovery, turn.now);
}

void Frontend::tell_end(Turn& turn, const JobState& job) {
  for (const Endpoint& asker : askers_.take(job.id())) turn.out.send(asker, end_of(job));
}

Result<std::uint32_t> Frontend::requeue(
    Turn& turn, const JobId& id, std::span<const std::uint32_t> tasks) {
  const auto job = jobs_.find(id, tasks);
  if (!job) return tl::unexpected(job.error());
  if ((*job)->finished()) return failure(ErrorKind::conflict, has_ended(**job));
  std::vector<std::uint32_t> all;
  if (tasks.empty()) {
    for (const auto& [index, binding] : (*job)->bindings()) all.push_back(index);
    tasks = all;
  }
  if (auto fine = check_requeue(**job, tasks); !fine) return tl::unexpected(fine.error());
  const std::uint32_t count = sched::requeue(turn, **job, tasks);
  schedule(turn.now);
  if (count > 0) return count;
  return failure(ErrorKind::not_found,
      "none of these tasks of job " + label_of(id) +
          " runs: what waits starts by itself, and `dunlin retry` runs what has ended");
}

// A worker has slots for a job by a plan, and no reservation of it.
void Frontend::invite(Turn& turn, const Endpoint& worker, const JobId& id) {
  const JobState* const job = find(id);
  if (job == nullptr || job->finished() || turn.now < job->held_until()) return;
  prober_.invite(turn, *job, worker);
  schedule(turn.now);
}

}  // namespace dunlin::sched
