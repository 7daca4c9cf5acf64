// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/launcher.h"

#include <algorithm>
#include <utility>

#include "sched/frontend/binder.h"

namespace dunlin::sched {
namespace {

/// The first refusal is no reason to wait: the answer brought what has changed.
constexpr int kRefusedMax = 2;

bool is_same_wish(const TaskGroup& a, const TaskGroup& b) {
  return a.demand == b.demand && a.constraints == b.constraints;
}

}  // namespace

bool Launcher::launch(Turn& turn, const Surroundings& around, JobState& job, const Prober& prober) {
  Misses misses;
  return launch(turn, around, job, prober, misses);
}

void Launcher::launch(
    Turn& turn, const Surroundings& around, std::span<JobState* const> jobs, const Prober& prober) {
  Misses misses;
  for (JobState* job : jobs) launch(turn, around, *job, prober, misses);
}

bool Launcher::launch(
    Turn& turn, const Surroundings& around, JobState& job, const Prober& prober, Misses& misses) {
  if (turn.now < job.held_until() || master_.view().size() == 0) return false;
  const auto setback = setbacks_.find(job.id().number);
  if (setback != setbacks_.end() && turn.now < setback->second.rests_until) return false;
  bool any = false;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (launch_group(turn, around, job, group, prober, misses)) any = true;
  }
  return any;
}

bool Launcher::launch_group(Turn& turn,
    const Surroundings& around,
    JobState& job,
    std::uint16_t group,
    const Prober& prober,
    Misses& misses) {
  const TaskGroup& spec = job.spec_of(group);
  const auto missed = [&](const TaskGroup* other) { return is_same_wish(*other, spec); };
  const auto others = [&](std::span<const PeerId> avoided) {
    return prober.others_fit(around, job, group, avoided);
  };
  bool any = false;
  std::map<CellId, Batch> batches;
  while (job.offered(group) > 0 && std::ranges::none_of(misses, missed)) {
    const auto place = master_.match(turn_of(turn), spec.demand, spec.constraints);
    if (!place) {
      misses.push_back(&spec);
      break;
    }
    const auto task = job.launch(group, place->node, turn.now, others);
    if (!task) break;  // Those that wait failed there: reservations find other nodes.
    any = true;
    Batch& batch = batches[place->cell];
    batch.tasks.push_back(*task);
    batch.targets.push_back(master_.take(*place, spec.demand));
    const std::uint32_t first = job.groups()[group].first;
    if (spec.entries.size() > 0) batch.bytes += spec.entries[task->index - first].size();
    if (batch.tasks.size() < params_.batch && batch.bytes < kEntryBytesMax) continue;
    send(turn, job, group, prober, place->cell, batch);
    batches.erase(place->cell);
  }
  for (auto& [cell, batch] : batches) send(turn, job, group, prober, cell, batch);
  return any;
}

void Launcher::send(Turn& turn,
    const JobState& job,
    std::uint16_t group,
    const Prober& prober,
    CellId cell,
    Batch& batch) {
  LaunchTasks launch{.reserve = prober.reservation(job, group, turn.now),
      .tasks = tasks_for(job, group, batch.tasks, prober, turn.now),
      .targets = std::move(batch.targets)};
  // No node learns by a launch how much is left of the job.
  launch.tasks.served_to = 0;
  master_.launch(turn_of(turn), cell, std::move(launch));
}

void Launcher::note(Time now, const federation::LaunchOutcome& outcome) {
  using Fate = federation::LaunchOutcome::Fate;
  const std::uint32_t job = outcome.job.number;
  if (outcome.fate == Fate::placed) setbacks_.erase(job);
  if (outcome.fate != Fate::refused) return;
  Setback& setback = setbacks_[job];
  if (++setback.refused >= kRefusedMax) setback.rests_until = now + params_.launch_timeout;
}

Time Launcher::next(Time now, bool active) {
  has_jobs_ = active;
  if (active) {
    active_ = true;
    needed_until_ = now + params_.lease;
  }
  const Time idle_at = active_ && !active ? needed_until_ : kNever;
  return std::min(master_.wake_at(), idle_at);
}

std::vector<federation::LaunchOutcome> Launcher::wake(Turn& turn) {
  if (active_ && !has_jobs_ && turn.now >= needed_until_) {
    active_ = false;
    master_.leave(turn_of(turn));
  }
  return master_.wake(turn_of(turn));
}

}  // namespace dunlin::sched
