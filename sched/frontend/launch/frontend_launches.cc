// SPDX-License-Identifier: MIT
#include <algorithm>
#include <vector>

#include "sched/frontend/bound_tasks.h"
#include "sched/frontend/frontend.h"
#include "sched/frontend/launch/launcher.h"

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

void Frontend::lead(const federation::FederationParams& params,
    const WorkerParams& worker,
    std::uint32_t incarnation) {
  launcher_ = std::make_unique<Launcher>(params, worker, origin_, incarnation);
}

void Frontend::set_classes(const books::Classes& table) {
  if (launcher_) launcher_->set_classes(table);
}

Time Frontend::follow_at() const {
  return launcher_ ? launcher_->follow_at() : kNever;
}

void Frontend::follow(
    Turn& turn, std::span<const ManagerPlace> own, std::span<const ManagerPlace> known) {
  launcher_->master().follow(Launcher::turn_of(turn), own, known);
}

const federation::GlobalMaster* Frontend::master() const {
  return launcher_ ? &launcher_->master() : nullptr;
}

std::vector<CellId> Frontend::parked_at(const JobState& job, std::uint16_t group) const {
  return launcher_ ? launcher_->parked_at(job, group) : std::vector<CellId>{};
}

void Frontend::review_demands(Turn& turn, const Surroundings& around, JobState& job) {
  if (!estimator_.is_due(job, turn.now)) return;
  std::vector<std::uint32_t> before;
  for (std::uint16_t i = 0; i < group_count(job); ++i) {
    before.push_back(job.spec_of(i).demand.memory);
  }
  const auto changed = estimator_.review(turn, around.known(), job);
  for (const std::uint16_t group : changed) {
    // What is out for them speaks of another demand. Of less memory, it would have tasks killed by
    // an estimate that is given up, and their failures would count.
    prober_.withdraw(turn, job, group);
    const bool grows = job.spec_of(group).demand.memory > before[group];
    if (grows) job.outdate(group, prober_.last(job));
  }
  if (!changed.empty() && launcher_) launcher_->renew(job);
}

void Frontend::seek_workers(Turn& turn, const Surroundings& around, JobState& job) {
  review_demands(turn, around, job);
  JobState* const jobs[] = {&job};
  if (launcher_ && launcher_->launch(turn, {around, jobs_, prober_}, jobs)) {
    prober_.withdraw_idle(turn, job);
  }
  if (launcher_) launcher_->seek_gangs(turn, {around, jobs_, prober_}, job);
  if (launcher_ && launcher_->park(turn, job, prober_)) return;
  prober_.probe(turn, around, job);
}

void Frontend::launch_waiting(Turn& turn, const Surroundings& around) {
  std::vector<JobState*> jobs = jobs_.active();
  std::erase_if(jobs, [](const JobState* job) { return offered(*job) == 0; });
  launcher_->launch(turn, {around, jobs_, prober_}, jobs);
  for (const JobState* job : jobs) {
    prober_.withdraw_idle(turn, *job);
    launcher_->withdraw_idle(turn, *job);
    launcher_->seek_gangs(turn, {around, jobs_, prober_}, *job);
  }
}

void Frontend::hold_gang(Turn& turn,
    const Surroundings& around,
    const Endpoint& from,
    JobState& job,
    const GetTask& asked) {
  if (binder_.repeat(turn, around, from, job, asked, prober_)) return;
  if (!launcher_) return turn.out.send(from, nothing_left(asked));
  const auto holders = launcher_->hold(turn, job, from, asked, prober_);
  // While it gathers the reservation waits on.
  prober_.on_served(turn, from, job, asked, launcher_->gathers(job, asked.group) ? asked.room : 0);
  std::uint32_t bound = 0;
  for (const Gangs::Holder& holder : holders) {
    holders_.note(turn, holder.worker);
    const auto given = binder_.answer(turn, around, holder.worker, job, holder.asked, prober_);
    bound += static_cast<std::uint32_t>(given.value_or(0));
  }
  if (bound > 0) {
    turn.events.on(GangStarted{job.id(), asked.group, bound});
    // Reservations of this one are of no use any more, and another one may be next.
    for (const JobState* each : jobs_.active()) {
      launcher_->seek_gangs(turn, {around, jobs_, prober_}, *each);
    }
  }
  schedule(turn.now);
}

void Frontend::on_message(
    Turn& turn, const Surroundings&, const Endpoint& from, const Attached& answer) {
  if (launcher_) launcher_->master().receive(Launcher::turn_of(turn), from, answer);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const CellView& view) {
  if (!launcher_) return;
  if (launcher_->master().receive(Launcher::turn_of(turn), from, view)) {
    launch_waiting(turn, around);
  }
  schedule(turn.now);
}

void Frontend::on_message(
    Turn& turn, const Surroundings& around, const Endpoint& from, const LaunchReply& reply) {
  if (!launcher_) return;
  hear_outcomes(turn, around, launcher_->master().receive(Launcher::turn_of(turn), from, reply));
  launch_waiting(turn, around);
  schedule(turn.now);
}

void Frontend::hear_outcomes(
    Turn& turn, const Surroundings& around, std::span<const federation::LaunchOutcome> outcomes) {
  std::vector<JobState*> waiting;
  for (const federation::LaunchOutcome& outcome : outcomes) {
    launcher_->note(turn.now, outcome);
    const bool placed = outcome.fate == federation::LaunchOutcome::Fate::placed;
    if (placed) holders_.note(turn, outcome.worker);
    JobState* const job = jobs_.find(outcome.job);
    hear_outcome(turn, job, outcome.job, outcome);
    if (job == nullptr || outcome.fate == federation::LaunchOutcome::Fate::placed) continue;
    if (std::ranges::count(waiting, job) == 0) waiting.push_back(job);
  }
  for (JobState* job : waiting) settle_or_probe(turn, around, *job);
}

void Frontend::wake_master(Turn& turn, const Surroundings& around) {
  hear_outcomes(turn, around, launcher_->wake(turn));
  launcher_->ask_after(turn, jobs_);
}

}  // namespace dunlin::sched
