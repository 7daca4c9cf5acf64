// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/shortest.h"

#include <cmath>

// Jobs end soonest on average if the one with the least work left goes first. That holds where
// tasks can be interrupted; ours run to their end. A job of many tasks takes slots from the others
// now, a job of long tasks only keeps them for longer. So length counts less than number: by a
// power of it. A frontend tells the work left, number × length, so one factor length^(power - 1)
// turns it into the rank.
//
// Pure, that rule starves the largest jobs. So a rank shrinks with the time waited, and any job is
// first in the end. Seconds would be the wrong unit: ten of them are an age among tasks of 100 ms,
// and nothing among tasks of ten minutes. Patience is counted in mean task lengths.
//
// What only the frontend's news can change is weighed once; a comparison is then one division a
// side, for a queue is searched whole at each start.
namespace dunlin::sched {

void ShortestDiscipline::weigh(QueuedReservation& waiting) const {
  const Reserve& reserve = waiting.reserve;
  const Duration length = reserve.task_time > Duration{0} ? reserve.task_time : kTaskTimeUnknown;
  waiting.left = static_cast<double>(reserve.work.count()) *
      std::pow(static_cast<double>(length.count()), length_weight_ - 1) *
      by_priority(reserve.priority);
}

bool ShortestDiscipline::before(
    const QueuedReservation& a, const QueuedReservation& b, const ServiceMoment& at) const {
  const double rank_of_a = aged(a.left, a.born, patience_, at);
  const double rank_of_b = aged(b.left, b.born, patience_, at);
  return rank_of_a != rank_of_b ? rank_of_a < rank_of_b : submitted_before(a, b);
}

}  // namespace dunlin::sched
