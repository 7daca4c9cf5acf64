// SPDX-License-Identifier: MIT
#include "sched/plan/policy/assured.h"

// What a deadline needs goes before what would end a job sooner than that. A job of a few short
// tasks has an early deadline and could use many slots; given them all at once, it would stop tasks
// that have run for minutes, where slots yield by plan, to gain nothing.
namespace dunlin::sched {

void AssuredPlan::divide(Division& division) const {
  for (const std::size_t job : division.by_priority()) division.give(job, 1);
  const std::vector<std::size_t> order = division.by_deadline();
  for (const std::size_t job : order) {
    const auto& left = division.jobs()[job].time_left;
    if (!left) continue;
    if (*left > Duration{0}) {
      division.give_in_time(job, *left);
    } else {
      division.give_all(job);
    }
  }
  for (const std::size_t job : order) {
    if (division.jobs()[job].time_left) division.give_all(job);
  }
}

}  // namespace dunlin::sched
