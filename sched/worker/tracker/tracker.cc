// SPDX-License-Identifier: MIT
#include "sched/worker/tracker/tracker.h"

#include <algorithm>
#include <utility>

namespace dunlin::sched {
namespace {

using Amount32 = std::uint32_t Resources::*;

constexpr Amount32 amount(std::size_t resource) {
  if (resource == 0) return &Resources::cpu;
  return resource == 1 ? &Resources::memory : kRates[resource - 2].amount;
}
constexpr std::size_t kMemory = 1;
constexpr std::size_t kFirstNet = 4;

/// Less than this part of a node is noise: its agent, its kernel, the error of two counters that
/// are not read at once.
constexpr std::uint32_t kNoise = 50;

const MeasuredTask* find(const Measured& measured, const RunningTask& running) {
  const auto is_of = [&](const MeasuredTask& each) {
    return each.task == running.task && each.attempt == running.attempt;
  };
  const auto found = std::ranges::find_if(measured.tasks, is_of);
  return found == measured.tasks.end() ? nullptr : &*found;
}

bool knows(const MeasuredTask* task, std::size_t resource) {
  if (task == nullptr) return false;
  if (resource <= kMemory) return true;
  return resource < kFirstNet ? task->has_disk : task->has_net;
}

std::uint32_t with_margin(std::uint32_t peak) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>((std::uint64_t{peak} * 11 + 9) / 10, kUnlimited));
}

}  // namespace

bool Tracker::watches(std::size_t resource, const Resources& total) const {
  if (params_.watch == Tracked::off) return false;
  if (resource <= kMemory) return params_.watch == Tracked::all;
  return total.*amount(resource) != kUnlimited;
}

Tracker::TaskPeaks& Tracker::peaks_of(const RunningTask& running) {
  const auto is_of = [&](const TaskPeaks& each) {
    return each.task == running.task && each.attempt == running.attempt;
  };
  const auto found = std::ranges::find_if(tasks_, is_of);
  if (found != tasks_.end()) return *found;
  return tasks_.emplace_back(TaskPeaks{.task = running.task, .attempt = running.attempt});
}

std::uint32_t Tracker::use_by(
    const RunningTask& running, const MeasuredTask* measured, std::size_t resource, Time now) {
  // Of what nobody can tell, its demand.
  const std::uint32_t demand = running.demand.*amount(resource);
  if (!knows(measured, resource)) return demand;
  TaskPeaks& task = peaks_of(running);
  const std::uint32_t use = measured->use.*amount(resource);
  task.peaks[resource].add(now, params_.ramp_up, use);
  const std::uint32_t before = std::exchange(task.last[resource], use);
  const bool begins = now - running.started < 2 * params_.period;
  return std::max({use, before, begins ? demand : 0});
}

Resources Tracker::relief(
    const RunningTask& running, const MeasuredTask* measured, const Resources& total, Time now) {
  Resources relief;
  if (!reclaims_ || now - running.started < params_.ramp_up) return relief;
  const Peaks& peaks = peaks_of(running).peaks;
  for (std::size_t i = 0; i < kSeen; ++i) {
    if (i == kMemory || !watches(i, total) || !knows(measured, i)) continue;
    const std::uint32_t demand = running.demand.*amount(i);
    relief.*amount(i) = demand - std::min(demand, with_margin(peaks[i].value()));
  }
  return relief;
}

void Tracker::hear(
    Time now, const Measured& measured, std::vector<RunningTask>& running, Slots& slots) {
  const Resources& total = slots.total();
  Resources by_tasks;
  for (RunningTask& task : running) {
    if (task.waits) continue;
    const MeasuredTask* const seen = find(measured, task);
    for (std::size_t i = 0; i < kSeen; ++i) {
      if (!watches(i, total)) continue;
      std::uint32_t& sum = by_tasks.*amount(i);
      sum += std::min(use_by(task, seen, i, now), kUnlimited - sum);
    }
  }
  std::erase_if(tasks_, [&](const TaskPeaks& each) {
    return std::ranges::none_of(running, [&](const RunningTask& task) {
      return task.task == each.task && task.attempt == each.attempt;
    });
  });
  Resources background;
  for (std::size_t i = 0; i < kSeen; ++i) {
    if (!watches(i, total)) continue;
    const std::uint32_t used = measured.node.*amount(i);
    const std::uint32_t others = used - std::min(used, by_tasks.*amount(i));
    const std::uint32_t before = std::exchange(others_[i], others);
    background_[i].add(now, params_.ramp_up, std::min(before, others));
    const std::uint32_t peak = background_[i].value();
    if (peak > total.*amount(i) / kNoise) background.*amount(i) = peak;
  }
  // Room that tasks leave before room that others take: neither may want for the other.
  for (RunningTask& task : running) {
    if (task.waits) continue;
    const Resources wanted = relief(task, find(measured, task), total, now);
    slots.relieve(task.relief, wanted);
  }
  slots.set_background(background);
}

}  // namespace dunlin::sched
