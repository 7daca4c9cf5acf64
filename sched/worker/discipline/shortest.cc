// SPDX-License-Identifier: MIT
#include "sched/worker/discipline/shortest.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sched/job.h"

// Jobs end soonest on average if the one with the least work left goes first. That holds where
// tasks can be interrupted; ours run to their end. A job of many tasks takes slots from the others
// now, a job of long tasks only keeps them for longer. So length counts less than number: by a
// power of it. A frontend tells the work left, number × length, so one factor length^(power - 1)
// turns it into the rank.
//
// Pure, that rule starves the largest jobs. So a rank shrinks with the time waited, and any job is
// first in the end.
namespace dunlin::sched {
namespace {

/// A task's length where its frontend does not tell: see Frontend::told_time().
constexpr Duration kLengthUntold = std::chrono::seconds(10);

}  // namespace

bool ShortestDiscipline::before(
    const QueuedReservation& a, const QueuedReservation& b, Time now) const {
  const double rank_of_a = rank(a, now);
  const double rank_of_b = rank(b, now);
  return rank_of_a != rank_of_b ? rank_of_a < rank_of_b : submitted_before(a, b);
}

double ShortestDiscipline::rank(const QueuedReservation& waiting, Time now) const {
  const Reserve& reserve = waiting.reserve;
  const double waited = std::max(0.0, static_cast<double>((now - waiting.born).count()));
  const double patience = 1 + waited / static_cast<double>(ageing_.count());
  const Duration length = reserve.task_time > Duration{0} ? reserve.task_time : kLengthUntold;
  return static_cast<double>(reserve.work.count()) *
      std::pow(static_cast<double>(length.count()), length_weight_ - 1) *
      std::exp2((kPriorityDefault - reserve.priority) / 2.0) / patience;
}

}  // namespace dunlin::sched
