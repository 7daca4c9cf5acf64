// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/gangs.h"

#include <algorithm>
#include <iterator>

#include "sched/frontend/binder.h"

// The hold is the question of a worker: it keeps slots for the answer, and gives them up after a
// few tries (worker.ask_tries), so a global master that dies holds nothing for long. The commit is
// the answer, with a binding for each task, as for any task that is bound late.
namespace dunlin::sched {
namespace {

/// All of its tasks that are not bound or final may be handed out now.
bool is_whole(const JobState& job, std::uint16_t group) {
  return job.offered(group) > 0 && job.offered(group) == job.groups()[group].waiting &&
      job.groups()[group].resting == 0;
}

}  // namespace

void Gangs::seek(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    Prober& prober,
    const Lacks& lacks) {
  drop_idle(turn, master, job);
  if (turn.now < job.held_until()) return;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    const TaskGroup& spec = job.spec_of(group);
    if (!spec.gang || !is_whole(job, group)) continue;
    const Key key{job.id().number, group};
    Gang& gang = gangs_[key];
    if (!gang.parts.empty() || turn.now < gang.rests_until) continue;
    const std::uint32_t tasks = job.offered(group);
    auto parts = master.match_all(turn, spec.demand, spec.constraints, tasks);
    const bool gathers = parts.empty() && lacks && lacks(group, tasks);
    if (gathers) parts = master.spread(turn.now, spec.demand, tasks);
    if (parts.empty()) {
      // To find that out costs a match for each task.
      gang.rests_until = turn.now + params_.launch_timeout;
      continue;
    }
    gang = {.job = job.id(), .parts = std::move(parts), .tasks = tasks, .gathers = gathers};
    gang.asked = gang.parts.begin()->first;
    gang.until = turn.now + params_.launch_timeout * params_.launch_tries;
    ask(turn, master, job, key, gang, prober);
  }
}

std::uint32_t Gangs::due(const Gang& gang) {
  std::uint32_t sum = 0;
  for (const auto& [cell, tasks] : gang.parts) {
    if (cell <= gang.asked) sum += tasks;
  }
  return sum;
}

/// Asks for as much as is missing of the cell's part.
void Gangs::ask(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    const Key& key,
    Gang& gang,
    Prober& prober) {
  Reserve reserve = prober.reservation(job, key.second, turn.now);
  reserve.probe = prober.next_number(job);
  reserve.tasks_max =
      static_cast<std::uint16_t>(std::min<std::uint32_t>(Tasks::kTasksMax, due(gang) - gang.held));
  if (gang.gathers) reserve.work = Duration{0};  // What has least to do is offered room first.
  gang.told = gang.held + reserve.tasks_max;
  master.park(turn, gang.asked, reserve);
}

void Gangs::withdraw(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const Key& key,
    const Gang& gang) const {
  Reserve none;
  none.job = gang.job;
  none.group = key.second;
  master.park(turn, gang.asked, none);
}

std::vector<Gangs::Holder> Gangs::hold(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    const Endpoint& from,
    const GetTask& asked,
    Prober& prober) {
  const Key key{job.id().number, asked.group};
  const auto found = gangs_.find(key);
  const bool expected = found != gangs_.end() && !found->second.parts.empty() &&
      found->second.tasks == job.offered(asked.group) && is_whole(job, asked.group);
  if (!expected) {
    turn.out.send(from, nothing_for(asked));
    return {};
  }
  Gang& gang = found->second;
  const bool known = std::ranges::any_of(gang.holders, [&](const Holder& each) {
    return each.worker.id == from.id && each.asked.request == asked.request &&
        each.asked.incarnation == asked.incarnation;
  });
  if (known) return {};
  gang.holders.push_back({from, asked});
  gang.holders.back().asked.slots_max = 0;  // A plan cannot give it a part of its tasks.
  gang.held += std::min<std::uint32_t>(asked.room, Tasks::kTasksMax);
  if (gang.held >= gang.tasks) {
    std::vector<Holder> holders = std::move(gang.holders);
    withdraw(turn, master, key, gang);
    gangs_.erase(found);
    return holders;
  }
  if (gang.held < due(gang)) {
    // More than fit one question were wanted of it.
    if (gang.held >= gang.told) ask(turn, master, job, key, gang, prober);
    return {};
  }
  withdraw(turn, master, key, gang);
  while (gang.held >= due(gang)) gang.asked = std::next(gang.parts.find(gang.asked))->first;
  ask(turn, master, job, key, gang, prober);
  return {};
}

void Gangs::let_go(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const Key& key,
    Gang& gang) {
  if (gang.parts.empty()) return;
  withdraw(turn, master, key, gang);
  for (const Holder& holder : gang.holders) {
    turn.out.send(holder.worker, nothing_for(holder.asked));
  }
  const Duration rest = params_.launch_timeout * params_.launch_tries;
  gang = {.job = gang.job, .parts = {}, .rests_until = turn.now + turn.rng.between(rest / 4, rest)};
}

void Gangs::drop_idle(
    const federation::MastersTurn& turn, federation::GlobalMaster& master, const JobState& job) {
  for (auto gang = gangs_.lower_bound({job.id().number, 0});
      gang != gangs_.end() && gang->first.first == job.id().number; ++gang) {
    const std::uint16_t group = gang->first.second;
    if (gang->second.tasks == job.offered(group) && is_whole(job, group)) continue;
    let_go(turn, master, gang->first, gang->second);
  }
}

void Gangs::forget(
    const federation::MastersTurn& turn, federation::GlobalMaster& master, const JobState& job) {
  const std::uint32_t number = job.id().number;
  for (auto gang = gangs_.lower_bound({number, 0});
      gang != gangs_.end() && gang->first.first == number;) {
    let_go(turn, master, gang->first, gang->second);
    gang = gangs_.erase(gang);
  }
}

void Gangs::wake(const federation::MastersTurn& turn, federation::GlobalMaster& master) {
  for (auto& [key, gang] : gangs_) {
    if (!gang.parts.empty() && gang.until <= turn.now) let_go(turn, master, key, gang);
  }
}

Time Gangs::deadline() const {
  Time earliest = kNever;
  for (const auto& [key, gang] : gangs_) {
    if (!gang.parts.empty()) earliest = std::min(earliest, gang.until);
  }
  return earliest;
}

}  // namespace dunlin::sched
