// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/frontend_launches.h"

#include <algorithm>
#include <vector>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/frontend_parts.h"
#include "sched/frontend/launch/launcher.h"
#include "sched/frontend/table/concerned_jobs.h"

// A frontend as a global master. What has a match is launched, what has none is left to
// reservations: so no task ever waits for a view.
namespace dunlin::sched {
namespace {

/// The tasks of a job that may be handed out.
std::uint32_t offered(const JobState& job) {
  std::uint32_t sum = 0;
  for (std::uint16_t group = 0; group < group_count(job); ++group) sum += job.offered(group);
  return sum;
}

}  // namespace

void FrontendLaunches::lead(const federation::FederationParams& params,
    const WorkerParams& worker,
    std::uint32_t incarnation) {
  parts_.launcher = std::make_unique<Launcher>(params, worker, parts_.origin, incarnation);
}

void FrontendLaunches::set_classes(const books::Classes& table) {
  if (parts_.launcher) parts_.launcher->set_classes(table);
}

Time FrontendLaunches::follow_at() const {
  return parts_.launcher ? parts_.launcher->follow_at() : kNever;
}

void FrontendLaunches::follow(
    Turn& turn, std::span<const ManagerPlace> own, std::span<const ManagerPlace> known) {
  parts_.launcher->master().follow(Launcher::turn_of(turn), own, known);
}

void FrontendLaunches::launch_waiting(Turn& turn, const Surroundings& around) {
  std::vector<JobState*> jobs = ConcernedJobs(parts_.jobs).free();
  std::erase_if(jobs, [](const JobState* job) { return offered(*job) == 0; });
  parts_.launcher->launch(turn, {around, parts_.jobs, parts_.prober}, jobs);
  for (const JobState* job : jobs) {
    parts_.prober.withdraw_idle(turn, *job);
    parts_.launcher->withdraw_idle(turn, *job);
    parts_.launcher->seek_gangs(turn, {around, parts_.jobs, parts_.prober}, *job);
  }
}

void FrontendLaunches::hold_gang(Turn& turn,
    const Surroundings& around,
    const Endpoint& from,
    JobState& job,
    const GetTask& asked) {
  if (parts_.binder.repeat(turn, around, from, job, asked, parts_.prober)) return;
  if (!parts_.launcher) return turn.out.send(from, nothing_left(asked));
  const auto holders = parts_.launcher->hold(turn, job, from, asked, parts_.prober);
  // While it gathers the reservation waits on.
  parts_.prober.on_served(
      turn, from, job, asked, parts_.launcher->gathers(job, asked.group) ? asked.room : 0);
  std::uint32_t bound = 0;
  for (const Gangs::Holder& holder : holders) {
    parts_.holders.note(turn, holder.worker);
    const auto given =
        parts_.binder.answer(turn, around, holder.worker, job, holder.asked, parts_.prober);
    bound += static_cast<std::uint32_t>(given.value_or(0));
  }
  if (bound > 0) {
    turn.events.on(GangStarted{job.id(), asked.group, bound});
    // Reservations of this one are of no use any more, and another one may be next.
    for (const JobState* each : parts_.jobs.active()) {
      parts_.launcher->seek_gangs(turn, {around, parts_.jobs, parts_.prober}, *each);
    }
  }
  parts_.schedule(turn.now);
}

void FrontendLaunches::receive(
    Turn& turn, const Surroundings&, const Endpoint& from, const Attached& answer) {
  if (parts_.launcher) parts_.launcher->master().receive(Launcher::turn_of(turn), from, answer);
}

void FrontendLaunches::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const CellView& view) {
  if (!parts_.launcher) return;
  if (parts_.launcher->master().receive(Launcher::turn_of(turn), from, view)) {
    launch_waiting(turn, around);
  }
  parts_.schedule(turn.now);
}

void FrontendLaunches::receive(
    Turn& turn, const Surroundings& around, const Endpoint& from, const LaunchReply& reply) {
  if (!parts_.launcher) return;
  hear_outcomes(
      turn, around, parts_.launcher->master().receive(Launcher::turn_of(turn), from, reply));
  launch_waiting(turn, around);
  parts_.schedule(turn.now);
}

void FrontendLaunches::hear_outcomes(
    Turn& turn, const Surroundings& around, std::span<const federation::LaunchOutcome> outcomes) {
  std::vector<JobState*> waiting;
  for (const federation::LaunchOutcome& outcome : outcomes) {
    parts_.launcher->note(turn.now, outcome);
    const bool placed = outcome.fate == federation::LaunchOutcome::Fate::placed;
    if (placed) parts_.holders.note(turn, outcome.worker);
    JobState* const job = parts_.jobs.find(outcome.job);
    hear_outcome(turn, job, outcome.job, outcome);
    if (job == nullptr || outcome.fate == federation::LaunchOutcome::Fate::placed) continue;
    if (std::ranges::count(waiting, job) == 0) waiting.push_back(job);
  }
  for (JobState* job : waiting) parts_.settle_or_probe(turn, around, *job);
}

void FrontendLaunches::wake(Turn& turn, const Surroundings& around) {
  hear_outcomes(turn, around, parts_.launcher->wake(turn));
  parts_.launcher->ask_after(turn, parts_.jobs);
}

}  // namespace dunlin::sched
