// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>
#include <vector>

#include "sched/plan/plan.h"

// Nodes and jobs in short, for tests of plans.
namespace dunlin::sched::plan_world {

using std::chrono::seconds;
using Numbers = std::vector<std::uint32_t>;

/// Nodes 1, 2 … with so many slots each.
inline std::vector<PlanWorker> workers(const Numbers& slots) {
  std::vector<PlanWorker> workers;
  for (const std::uint32_t each : slots) {
    workers.push_back({.node = PeerId{workers.size() + 1}, .slots = each});
  }
  return workers;
}

inline JobId job_id(std::uint32_t number) {
  return {.home = PeerId{99}, .number = number, .lineage = 7};
}

/// A job of `tasks` tasks of a second each.
inline PlanJob job(std::uint32_t number, int priority, std::uint32_t tasks) {
  return {.job = job_id(number),
      .priority = static_cast<std::int16_t>(priority),
      .tasks_left = tasks,
      .task_time = seconds(1)};
}
inline PlanJob due(PlanJob job, Duration left) {
  job.time_left = left;
  return job;
}
inline PlanJob lasting(PlanJob job, Duration task_time) {
  job.task_time = task_time;
  return job;
}

inline Numbers slots_of(const SlotPlan& plan) {
  Numbers slots;
  for (const JobPlan& each : plan.jobs) slots.push_back(each.slots);
  return slots;
}
inline Numbers needs_of(const SlotPlan& plan) {
  Numbers needs;
  for (const JobPlan& each : plan.jobs) needs.push_back(each.need);
  return needs;
}
inline std::uint32_t sum(const Numbers& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0u);
}

}  // namespace dunlin::sched::plan_world
