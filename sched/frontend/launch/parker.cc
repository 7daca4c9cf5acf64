// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/parker.h"

#include <algorithm>
#include <chrono>
#include <vector>

// A local master offers a parked group as many rooms as it was told of tasks, in the order of what
// it was told is left of jobs. So a group is told again when half of those rooms may be used up, or
// when half as much is left; and once in a heartbeat, in case that a word was lost.
// A room that is offered beyond the last task stays empty for as long as messages travel. So local
// masters together are told of park_ratio rooms a task, and those with too few to share of none.
namespace dunlin::sched {
namespace {

/// A group that was offered nothing for so long is sought for by reservations, too: local masters
/// may be out of reach, or its tasks may be the largest. One which may have a place in the express
/// share is so at once.
constexpr Duration kAlone = std::chrono::seconds(1);
/// More local masters than that learn of no group.
constexpr std::size_t kPlacesMax = 64;
/// The places of jobs with numbers that follow each other lie so far apart.
constexpr std::size_t kStep = 7;

}  // namespace

bool Parker::park(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    Prober& prober) {
  withdraw_idle(turn, master, job);
  if (!params_.park || turn.now < job.held_until()) return false;
  bool all = true;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (!is_launched(job, group)) {
      // What must be asked for, no master does: see is_launched().
      const bool once = job.runs_once() && !job.spec_of(group).gang;
      all = all && !once && !job.groups()[group].inputs.any();
      continue;
    }
    park_group(turn, master, job, group, prober);
    const auto parked = groups_.find({job.id().number, group});
    const bool rests = parked != groups_.end() && !parked->second.express &&
        turn.now < parked->second.lucky + kAlone;
    all = all && rests;
  }
  return all;
}

/// The cells where so many tasks of the job are parked, and the rooms that each may offer.
std::pair<std::vector<CellId>, std::uint32_t> Parker::share_out(
    std::vector<CellId> cells, const JobState& job, std::uint32_t tasks) const {
  const std::uint32_t rooms = tasks * params_.park_ratio;
  // Each job begins at another one.
  const std::size_t first = job.id().number * kStep % cells.size();
  std::ranges::rotate(cells, cells.begin() + static_cast<std::ptrdiff_t>(first));
  cells.resize(std::min({cells.size(), kPlacesMax, static_cast<std::size_t>(rooms)}));
  const auto count = static_cast<std::uint32_t>(cells.size());
  return {std::move(cells), std::min(tasks, (rooms + count - 1) / count)};
}

void Parker::park_group(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    std::uint16_t group,
    Prober& prober) {
  const std::vector<CellId> matched = master.matched_cells(turn.now);
  if (matched.empty()) return;
  const std::uint32_t offered = job.offered(group);
  const auto [at, is_new] = groups_.try_emplace({job.id().number, group});
  Parked& parked = at->second;
  if (is_new) parked.lucky = turn.now;
  if (parked.probe == 0) parked.probe = prober.next_number(job);
  const bool tells = is_new || parked.is_stale(offered);
  if (tells) parked.left = offered;
  const auto [cells, rooms] = share_out(matched, job, parked.left);
  Reserve reserve = prober.reservation(job, group, turn.now);
  reserve.probe = parked.probe;
  reserve.tasks_max = static_cast<std::uint16_t>(std::min<std::uint32_t>(reserve.tasks_max, rooms));
  parked.express = has_express_ && reserve.task_time <= express_limit_;
  for (const CellId cell : cells) {
    Place& place = parked.at[cell];
    const std::uint64_t epoch = master.view().known(cell).epoch;
    const bool is_known = place.epoch == epoch && turn.now < place.told + params_.heartbeat;
    if (is_known && !tells) continue;
    place = {.epoch = epoch, .told = turn.now};
    master.park(turn, cell, reserve);
  }
  if (!tells) return;
  parked.rooms = static_cast<std::uint32_t>(cells.size()) * reserve.tasks_max;
  parked.served = 0;
  std::erase_if(parked.at, [&](const auto& place) {
    const bool goes = std::ranges::count(cells, place.first) == 0;
    if (goes) take_back(turn, master, {job.id(), group}, place.first, place.second);
    return goes;
  });
}

void Parker::take_back(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const GroupId& group,
    CellId cell,
    const Place& place) {
  if (master.view().known(cell).epoch != place.epoch) return;
  Reserve none;
  none.job = group.job;
  none.group = group.group;
  master.park(turn, cell, none);
}

bool Parker::served(Time now, const JobState& job, std::uint16_t group, std::size_t tasks) {
  const auto parked = groups_.find({job.id().number, group});
  if (parked == groups_.end() || tasks == 0) return false;
  parked->second.served += tasks;
  parked->second.lucky = now;
  return parked->second.is_stale(job.offered(group));
}

void Parker::withdraw_idle(
    const federation::MastersTurn& turn, federation::GlobalMaster& master, const JobState& job) {
  const std::uint32_t number = job.id().number;
  for (auto parked = groups_.lower_bound({number, 0});
      parked != groups_.end() && parked->first.first == number;) {
    const std::uint16_t group = parked->first.second;
    if (job.offered(group) > 0) {
      ++parked;
      continue;
    }
    for (const auto& [cell, place] : parked->second.at) {
      take_back(turn, master, {job.id(), group}, cell, place);
    }
    parked = groups_.erase(parked);
  }
}

std::vector<CellId> Parker::parked_at(const JobState& job, std::uint16_t group) const {
  std::vector<CellId> cells;
  const auto parked = groups_.find({job.id().number, group});
  if (parked == groups_.end()) return cells;
  for (const auto& [cell, place] : parked->second.at) cells.push_back(cell);
  return cells;
}

void Parker::renew(const JobState& job) {
  const std::uint32_t number = job.id().number;
  for (auto parked = groups_.lower_bound({number, 0});
      parked != groups_.end() && parked->first.first == number; ++parked) {
    // Workers that ask by the number of before may not be those that should have the tasks.
    parked->second.probe = 0;
    for (auto& [cell, place] : parked->second.at) place.told = Time::min();
  }
}

}  // namespace dunlin::sched
