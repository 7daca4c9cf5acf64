// SPDX-License-Identifier: MIT
#include "sched/plan/policy/proportion.h"

#include <algorithm>
#include <cmath>

#include "sched/sharing/apportion.h"

// If every job has slots in proportion to its work, all end at about the same time. Proportions of
// whole slots leave remainders; apportion() gives those to the largest fractions, where rounding up
// in turn would leave nothing for the last jobs.
namespace dunlin::sched {
namespace {

/// Work is weighed in milliseconds: far finer than a task, and sums stay whole.
constexpr double kWeightsPerSecond = 1000;

}  // namespace

void ProportionPlan::divide(Division& division) const {
  const auto order = division.by_priority();
  std::vector<Tickets> weights;
  std::vector<Tickets> caps;
  for (const std::size_t job : order) {
    weights.push_back(std::llround(
        std::min(division.work_of(job) * kWeightsPerSecond, static_cast<double>(kTicketsMax))));
    caps.push_back(division.jobs()[job].tasks_left);
  }
  const auto parts = apportion(division.pool().size(), weights, caps);
  for (std::size_t i = 0; i < order.size(); ++i) {
    division.give(order[i], static_cast<std::uint32_t>(parts[i]));
  }
}

}  // namespace dunlin::sched
