// SPDX-License-Identifier: MIT
#include "sched/worker/tracker/tracker.h"

#include <algorithm>
#include <utility>

namespace dunlin::sched {
namespace {

constexpr std::size_t kMemoryColumn = 1;
constexpr std::size_t kFirstNet = 4;

/// Less than this part of a node is noise: its agent, its kernel, the error of two counters that
/// are not read at once.
constexpr std::uint32_t kNoise = 50;

bool knows(const MeasuredTask* task, std::size_t resource) {
  if (task == nullptr) return false;
  if (resource == kMemoryColumn) return task->use.memory > 0;
  if (resource < kMemoryColumn) return true;
  return resource < kFirstNet ? task->has_disk : task->has_net;
}

}  // namespace

bool Tracker::watches(std::size_t resource, const Resources& total) const {
  if (params_.watch == Tracked::off) return false;
  if (resource <= kMemoryColumn) return params_.watch == Tracked::all;
  return total.*kAmounts[resource] != kUnlimited;
}

std::vector<Tracker::Followed> Tracker::follow(
    const Measured& measured, std::vector<RunningTask>& running) {
  std::map<AttemptKey, const MeasuredTask*> seen;
  for (const MeasuredTask& task : measured.tasks) seen[key_of(task.task, task.attempt)] = &task;
  auto before = std::exchange(tasks_, {});
  std::vector<Followed> followed;
  for (RunningTask& task : running) {
    if (task.waits) continue;
    const AttemptKey key = key_of(task.task, task.attempt);
    auto known = before.extract(key);
    TaskPeaks& peaks = known ? tasks_.insert(std::move(known)).position->second : tasks_[key];
    const auto at = seen.find(key);
    followed.push_back({task, at == seen.end() ? nullptr : at->second, peaks});
  }
  return followed;
}

std::uint32_t Tracker::use_by(const Followed& followed, std::size_t resource, Time now) const {
  // Where nothing tells its use, its demand counts.
  const std::uint32_t demand = followed.task.demand.*kAmounts[resource];
  if (!knows(followed.measured, resource)) return demand;
  const std::uint32_t use = followed.measured->use.*kAmounts[resource];
  followed.known.peaks[resource].add(now, params_.ramp_up, use);
  const std::uint32_t before = std::exchange(followed.known.last[resource], use);
  const bool begins = now - followed.task.started < 2 * params_.period;
  return std::max({use, before, begins ? demand : 0});
}

Resources Tracker::relief(const Followed& followed, const Resources& total, Time now) const {
  Resources relief;
  if (!reclaims_ || now - followed.task.started < params_.ramp_up) return relief;
  for (std::size_t i = 0; i < kAmounts.size(); ++i) {
    if (i == kMemoryColumn || !watches(i, total) || !knows(followed.measured, i)) continue;
    const std::uint32_t demand = followed.task.demand.*kAmounts[i];
    relief.*kAmounts[i] = demand - std::min(demand, with_margin(followed.known.peaks[i].value()));
  }
  return relief;
}

Resources Tracker::background(
    const Resources& node, const Resources& by_tasks, const Resources& total, Time now) {
  Resources background;
  for (std::size_t i = 0; i < kAmounts.size(); ++i) {
    if (!watches(i, total)) continue;
    const std::uint32_t used = node.*kAmounts[i];
    const std::uint32_t others = used - std::min(used, by_tasks.*kAmounts[i]);
    const std::uint32_t before = std::exchange(others_[i], others);
    background_[i].add(now, params_.ramp_up, std::min(before, others));
    const std::uint32_t peak = background_[i].value();
    if (peak > total.*kAmounts[i] / kNoise) background.*kAmounts[i] = peak;
  }
  return background;
}

void Tracker::hear(
    Time now, const Measured& measured, std::vector<RunningTask>& running, Slots& slots) {
  const Resources& total = slots.total();
  const std::vector<Followed> followed = follow(measured, running);
  Resources by_tasks;
  for (std::size_t i = 0; i < kAmounts.size(); ++i) {
    if (!watches(i, total)) continue;
    std::uint32_t& sum = by_tasks.*kAmounts[i];
    for (const Followed& each : followed) sum += std::min(use_by(each, i, now), kUnlimited - sum);
  }
  // Room that tasks leave before room that others take: neither may want for the other.
  for (const Followed& each : followed) slots.relieve(each.task.relief, relief(each, total, now));
  slots.set_background(background(measured.node, by_tasks, total, now));
}

}  // namespace dunlin::sched
