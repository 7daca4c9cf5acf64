// SPDX-License-Identifier: MIT
#include "sched/plan/policy/assured.h"

#include <algorithm>
#include <cmath>

// Late jobs cost priority × time. Of two jobs that will both be late, the one with more priority
// for its work goes first (WSPT). A job with time to spare can wait, the longer its slack the
// longer, measured in the mean work of a job (ATC). A job without a deadline can always wait.
namespace dunlin::sched {
namespace {

/// Slack of so many mean jobs makes a job e times less urgent.
constexpr double kPatience = 2;

/// The index of each job: the larger, the sooner it gets slots.
std::vector<double> urgencies(const Division& division) {
  const auto jobs = division.jobs();
  double work_sum = 0;
  for (std::size_t job = 0; job < jobs.size(); ++job) work_sum += division.work_of(job);
  const double mean = work_sum / static_cast<double>(std::max<std::size_t>(jobs.size(), 1));
  std::vector<double> urgencies;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    const double work = std::max(division.work_of(job), 1e-9);
    if (!jobs[job].time_left) {
      urgencies.push_back(0);
      continue;
    }
    const double slots = std::min(jobs[job].tasks_left, division.pool().size());
    const double left = std::chrono::duration<double>(*jobs[job].time_left).count();
    const double slack = std::max(0.0, left - work / std::max(slots, 1.0));
    const double weight = 1.0 + jobs[job].priority;
    urgencies.push_back(weight / work * std::exp(-slack / std::max(kPatience * mean, 1e-9)));
  }
  return urgencies;
}

}  // namespace

void AssuredPlan::divide(Division& division) const {
  auto order = division.by_priority();
  for (const std::size_t job : order) division.give(job, 1);
  const auto urgency = urgencies(division);
  std::ranges::stable_sort(
      order, std::ranges::greater{}, [&](std::size_t job) { return urgency[job]; });
  for (const std::size_t job : order) {
    if (division.jobs()[job].time_left) division.give_all(job);
  }
}

}  // namespace dunlin::sched
