// SPDX-License-Identifier: MIT
#include "sched/frontend/launch/parker.h"

#include <algorithm>
#include <chrono>
#include <vector>

// A local master offers a parked group as many rooms as it was told of tasks, in the order of what
// it was told is left of jobs. So a group is told again when half of those rooms may be used up, or
// when half as much is left; and once in a heartbeat, in case that a word was lost.
namespace dunlin::sched {
namespace {

/// A group that was offered nothing for so long is sought for by reservations, too: local masters
/// may be out of reach, or its tasks may be the largest. One which may have a place in the express
/// share is so at once.
constexpr Duration kAlone = std::chrono::seconds(1);
/// More local masters than that learn of no group.
constexpr std::size_t kPlacesMax = 64;

}  // namespace

bool Parker::park(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    Prober& prober) {
  withdraw_idle(turn, master, job);
  if (!params_.park || turn.now < job.held_until()) return false;
  bool all = true;
  for (std::uint16_t group = 0; group < group_count(job); ++group) {
    if (job.offered(group) == 0 || job.spec_of(group).gang) continue;
    park_group(turn, master, job, group, prober);
    const auto parked = groups_.find({job.id().number, group});
    const bool rests = parked != groups_.end() && !parked->second.express &&
        turn.now < parked->second.lucky + kAlone;
    all = all && rests;
  }
  return all;
}

void Parker::park_group(const federation::MastersTurn& turn,
    federation::GlobalMaster& master,
    const JobState& job,
    std::uint16_t group,
    Prober& prober) {
  std::vector<CellId> cells = master.matched_cells(turn.now);
  if (cells.size() > kPlacesMax) {
    // Each job has others.
    const std::size_t first = job.id().number * kPlacesMax % cells.size();
    std::ranges::rotate(cells, cells.begin() + static_cast<std::ptrdiff_t>(first));
    cells.resize(kPlacesMax);
  }
  if (cells.empty()) return;
  const std::uint32_t offered = job.offered(group);
  const auto [at, is_new] = groups_.try_emplace({job.id().number, group});
  Parked& parked = at->second;
  if (is_new) {
    parked.probe = prober.next_number(job);
    parked.lucky = turn.now;
  }
  const bool is_stale = !is_new && parked.is_stale(offered);
  Reserve reserve = prober.reservation(job, group, turn.now);
  reserve.probe = parked.probe;
  parked.express = has_express_ && reserve.task_time <= express_limit_;
  for (const CellId cell : cells) {
    Place& place = parked.at[cell];
    const std::uint64_t epoch = master.view().known(cell).epoch;
    const bool is_known = place.epoch == epoch && turn.now < place.told + params_.heartbeat;
    if (is_known && !is_stale) continue;
    place = {.epoch = epoch, .told = turn.now};
    master.park(turn, cell, reserve);
  }
  if (is_new || is_stale) {
    parked.left = offered;
    parked.tasks = std::min<std::uint32_t>(offered, reserve.tasks_max);
    parked.served = 0;
  }
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
    Reserve none;
    none.job = job.id();
    none.group = group;
    for (const auto& [cell, place] : parked->second.at) {
      if (master.view().known(cell).epoch == place.epoch) master.park(turn, cell, none);
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
    for (auto& [cell, place] : parked->second.at) place.told = Time::min();
  }
}

}  // namespace dunlin::sched
