// SPDX-License-Identifier: MIT
#include "sched/worker/ports/worker_plan.h"

namespace dunlin::sched {

void WorkerPlan::set_allotments(Time now, std::span<const cell::Allotted> allotted) {
  parts_.planned->set(allotted);
  if (params_.preempt == PreemptMode::plan) follow_up_.replan(now);
}

std::vector<cell::Allotted> WorkerPlan::lacking_reservations() const {
  PlannedSlots& planned = *parts_.planned;
  if (planned.empty() || parts_.slots.closed()) return {};
  planned.recount(parts_.running.running(), parts_.requests.pending());
  return planned.lacking(parts_.queue, parts_.requests.pending());
}

}  // namespace dunlin::sched
