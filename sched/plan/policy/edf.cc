// SPDX-License-Identifier: MIT
#include "sched/plan/policy/edf.h"

namespace dunlin::sched {

void EdfPlan::divide(Division& division) const {
  for (const std::size_t job : division.by_deadline()) division.give_all(job);
}

}  // namespace dunlin::sched
