// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/priority.h"

// Strict priorities starve the lowest as long as the cluster is full. So a reservation gains worth
// while it waits: one point for each whole `ageing`. Fractions do not count: whole points compare
// exactly, and jobs that tie are served in the order of their submission.
namespace dunlin::sched {

bool PriorityDiscipline::before(
    const QueuedReservation& a, const QueuedReservation& b, const ServiceMoment& at) const {
  const auto worth = [&](const QueuedReservation& waiting) {
    return waiting.reserve.priority + (at.now - waiting.born) / ageing_;
  };
  const auto worth_of_a = worth(a);
  const auto worth_of_b = worth(b);
  return worth_of_a != worth_of_b ? worth_of_a > worth_of_b : submitted_before(a, b);
}

}  // namespace dunlin::sched
