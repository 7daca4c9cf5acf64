// SPDX-License-Identifier: MIT
#include "sched/federation/global/launches.h"

#include <algorithm>

namespace dunlin::sched::federation {

void Launches::send(
    const MastersTurn& turn, const Endpoint& to, const Endpoint& local, LaunchTasks launch) {
  turn.out.send(to, launch);
  bytes_ += launch.tasks.spec.size();
  const auto batch = batches_.insert(batches_.end(),
      {.to = to,
          .local = local.id,
          .launch = std::move(launch),
          .next = turn.now + params_.launch_timeout});
  for (const LaunchTarget& target : batch->launch.targets) {
    of_[{batch->launch.known.cell, target.number}] = batch;
  }
}

LaunchOutcome Launches::outcome_of(const Batch& batch, std::size_t index) {
  const Tasks& tasks = batch.launch.tasks;
  return {.job = tasks.job,
      .task = {tasks.tasks[index].index, tasks.tasks[index].attempt},
      .cell = batch.launch.known.cell,
      .number = batch.launch.targets[index].number,
      .preempts = batch.launch.preempts};
}

void Launches::take_out(Batches::iterator batch, std::size_t index) {
  auto& targets = batch->launch.targets;
  auto& tasks = batch->launch.tasks.tasks;
  of_.erase({batch->launch.known.cell, targets[index].number});
  targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(index));
  tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(index));
  if (!targets.empty()) return;
  bytes_ -= batch->launch.tasks.spec.size();
  batches_.erase(batch);
}

std::optional<LaunchOutcome> Launches::settle(
    CellId cell, const Endpoint& from, const LaunchVerdict& verdict) {
  const auto at = of_.find({cell, verdict.number});
  if (at == of_.end()) return std::nullopt;
  const Batches::iterator batch = at->second;
  // Another node may say that a launch is of an epoch that is over, but nothing else of it.
  const bool may_say = from.id == batch->to.id || from.id == batch->local;
  if (verdict.fate != LaunchFate::unknown && !may_say) return std::nullopt;
  const auto index = static_cast<std::size_t>(
      std::ranges::find(batch->launch.targets, verdict.number, &LaunchTarget::number) -
      batch->launch.targets.begin());
  LaunchOutcome outcome = outcome_of(*batch, index);
  if (verdict.fate == LaunchFate::refused) outcome.fate = LaunchOutcome::Fate::refused;
  if (verdict.fate == LaunchFate::placed) {
    outcome.fate = LaunchOutcome::Fate::placed;
    // A member that answers for itself is where the answer comes from. The same node may be the
    // local master, which found another member.
    const bool itself =
        batch->launch.direct && from.id == batch->to.id && verdict.node == batch->to.id;
    outcome.worker = itself ? from : Endpoint{verdict.node, verdict.address};
    outcome.incarnation = verdict.incarnation;
  }
  take_out(batch, index);
  return outcome;
}

std::vector<Launches::Lost> Launches::wake(const MastersTurn& turn, GlobalView& view) {
  std::vector<Lost> lost;
  for (auto batch = batches_.begin(); batch != batches_.end();) {
    const auto next = std::next(batch);
    LaunchTasks& launch = batch->launch;
    if (batch->next <= turn.now && batch->tries < params_.launch_tries) {
      ++batch->tries;
      batch->next = turn.now + params_.launch_timeout;
      // Its epoch stays: in another one it does not count.
      const KnownView known = view.known(launch.known.cell);
      launch.known.floor = known.floor;
      if (known.epoch == launch.known.epoch) launch.known.version = known.version;
      if (!launch.direct) view.suspect(launch.known.cell);
      turn.out.send(batch->to, launch);
    } else if (batch->next <= turn.now) {
      const CellId cell = launch.known.cell;
      for (std::size_t left = launch.targets.size(); left > 0; --left) {
        const auto member = launch.direct ? std::optional(batch->to.id) : std::nullopt;
        lost.push_back({cell, launch.targets.front().number, member, outcome_of(*batch, 0)});
        take_out(batch, 0);
      }
    }
    batch = next;
  }
  return lost;
}

Time Launches::deadline() const {
  Time earliest = kNever;
  for (const Batch& batch : batches_) earliest = std::min(earliest, batch.next);
  return earliest;
}

}  // namespace dunlin::sched::federation
