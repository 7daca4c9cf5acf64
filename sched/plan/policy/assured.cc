// SPDX-License-Identifier: MIT
#include "sched/plan/policy/assured.h"

namespace dunlin::sched {

void AssuredPlan::divide(Division& division) const {
  for (const std::size_t job : division.by_priority()) division.give(job, 1);
  for (const std::size_t job : division.by_deadline()) {
    if (division.jobs()[job].time_left) division.give_all(job);
  }
}

}  // namespace dunlin::sched
